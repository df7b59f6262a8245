import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../values/value.js';
import { scopeDescriptions } from '../access/scopes.js';
import type { Route, RouteGroup } from './route.js';

const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('Stable identifier.'),
    instance: z.string().describe('Names the request in the server’s log.'),
    errors: z
      .array(
        z.object({ in: z.enum(['body', 'path', 'query', 'header']), path: z.string(), message: z.string() }),
      )
      .optional(),
    diagnostics: z.array(z.record(z.string(), z.unknown())).optional().describe('Problems of a definition.'),
  })
  .describe('A problem document (RFC 9457).');

/** The OpenAPI document of a group: made of the schemas that requests are checked by. */
export function openApiDocument({ prefix, routes }: RouteGroup, version: string): JsonObject {
  const schemas: JsonObject = { Problem: schemaOf(problem, {}, 'output') };
  const paths: JsonObject = {};
  for (const route of routes) {
    const path = `${prefix}${route.path}`;
    paths[path] = { ...(paths[path] as JsonObject | undefined), [route.method]: operationOf(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'lait',
      version,
      description: 'Runs, definitions and people’s answers of a lait server.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, {}],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: `A token of \`lait tokens create\`. Scopes: ${Object.entries(scopeDescriptions)
            .map(([scope, meaning]) => `\`${scope}\` (${meaning})`)
            .join(', ')}. Not needed on a loopback address.`,
        },
      },
      responses: {
        Problem: {
          description: 'What is wrong.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

function operationOf(route: Route, schemas: JsonObject): JsonObject {
  const { operation, summary, description, tag, scope, body, bodyTypes = ['application/json'] } = route;
  const parameters = [
    ...parametersOf(route.parameters, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
  ];
  const answers: JsonObject = {};
  for (const [status, { description: what, schema, content = 'application/json' }] of Object.entries(
    route.responses,
  )) {
    const media: JsonObject = schema === undefined ? {} : { schema: schemaOf(schema, schemas, 'output') };
    const hasBody = schema !== undefined || content !== 'application/json';
    answers[status] = { description: what, ...(hasBody && { content: { [content]: media } }) };
  }
  return {
    operationId: operation,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(scope === null ? { security: [{}] } : { 'x-scope': scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: Object.fromEntries(
          bodyTypes.map((type) => [type, { schema: schemaOf(body, schemas, 'input') }]),
        ),
      },
    }),
    responses: { ...answers, default: { $ref: '#/components/responses/Problem' } },
  };
}

function parametersOf(
  schema: z.ZodType | undefined,
  where: 'path' | 'query',
  schemas: JsonObject,
): JsonValue[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, schemas, 'input') as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

/** The JSON Schema of a part; named ones are kept once under the components. */
function schemaOf(schema: z.ZodType, schemas: JsonObject, io: 'input' | 'output'): JsonObject {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as JsonObject;
  const { $schema: _version, $defs, ...own } = made as JsonObject & { $defs?: JsonObject };
  for (const [name, definition] of Object.entries($defs ?? {})) schemas[name] = named(definition);
  return named(own) as JsonObject;
}

/** References to named schemas lead to the components; their `id` is said by the name. */
function named(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(named);
  if (typeof value !== 'object' || value === null) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref' && typeof item === 'string')
      result.$ref = item.replace('#/$defs/', '#/components/schemas/');
    else if (key !== 'id' || typeof item !== 'string') result[key] = named(item);
  }
  return result;
}
