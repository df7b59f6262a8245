import type { JsonObject } from '../../values/value.js';
import { openApiDocument } from './openapi.js';
import type { Route, RouteGroup } from './route.js';

/** The page about an interface for people: made of the table of routes, as the OpenAPI document is. */
export function apiPage(group: RouteGroup): string {
  const document = openApiDocument(group, '');
  const tags = [...new Set(group.routes.map(({ tag }) => tag))];
  return [
    introduction,
    ...tags.flatMap((tag) => [
      `## ${tag}\n`,
      ...group.routes
        .filter((route) => route.tag === tag)
        .map((route) => section(route, group.prefix, document)),
    ]),
    '## Schemas\n',
    ...Object.entries(schemasOf(document)).map(([name, schema]) => schemaSection(name, schema)),
  ].join('\n');
}

const introduction = `# HTTP API

The server's own interface. The same as an [OpenAPI](https://spec.openapis.org/oas/v3.1.0) document is at
\`/v1/openapi.json\`. This page is made from the table of routes by \`npm run docs:api\`; do not edit it.

Bodies are JSON in UTF-8. Members that a request does not know are refused. Every error is a problem document
([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), \`application/problem+json\`, with a stable \`code\`, what is wrong and
what to do in \`detail\`, wrong parts of the request in \`errors\`, and the problems of a definition in \`diagnostics\`:

| status | when |
|---|---|
| 400 | no HTTP, no JSON, or not UTF-8 |
| 401 | the token is missing or wrong |
| 403 | the token lacks the scope, or the request came for another host or from another site |
| 404 | there is nothing under this id |
| 405 | the method is not served there |
| 409 | it stands where this cannot be done, somebody else was faster, or the version is stale |
| 413 | the body is too long |
| 415 | the body is of another type |
| 422 | parts of the request or the definition do not fit |
| 429 | too many requests; \`retry-after\` says how long to wait |
| 503 | the database does not answer |

Lists go on with \`next_cursor\`. Times are ISO 8601 in UTC.
`;

function section(route: Route, prefix: string, document: JsonObject): string {
  const path = `${prefix}${route.path}`;
  const operation = ((document.paths as JsonObject)[path] as JsonObject)[route.method] as JsonObject;
  const lines = [`### ${route.summary}\n`, `\`${route.method.toUpperCase()} ${path}\`\n`];
  lines.push(route.scope === null ? 'Needs no token.\n' : `Scope \`${route.scope}\`.\n`);
  if (route.description !== undefined) lines.push(`${route.description}\n`);
  const parameters = (operation.parameters ?? []) as JsonObject[];
  if (parameters.length > 0)
    lines.push(
      '| parameter | in | type | |',
      '|---|---|---|---|',
      ...parameters.map(({ name, in: where, required, description, schema }) => {
        const optional = required === true ? '' : ' (optional)';
        return `| \`${String(name)}\` | ${String(where)}${optional} | ${typeOf(schema as JsonObject)} | ${cell(description)} |`;
      }),
      '',
    );
  const body = mediaOf(operation.requestBody);
  for (const [type, { schema = {} }] of Object.entries(body))
    lines.push(`Body${type === 'application/json' ? '' : ` (\`${type}\`)`}:\n`, ...members(schema), '');
  for (const [status, { description }] of Object.entries(route.responses)) {
    const media = mediaOf((operation.responses as JsonObject)[status]);
    const shown = Object.entries(media).map(([type, { schema }]) =>
      schema === undefined ? `\`${type}\`` : typeOf(schema),
    );
    lines.push(`${status}: ${description}${shown.length === 0 ? '' : ` ${shown.join(', ')}`}\n`);
    const schema = media['application/json']?.schema;
    if (schema?.properties !== undefined) lines.push(...members(schema), '');
  }
  return lines.join('\n');
}

function mediaOf(part: unknown): Record<string, { schema?: JsonObject }> {
  return ((part as { content?: object } | undefined)?.content ?? {}) as Record<
    string,
    { schema?: JsonObject }
  >;
}

function schemaSection(name: string, schema: JsonObject): string {
  const description = schema.description === undefined ? [] : [`${String(schema.description)}\n`];
  return [`### ${name}\n`, ...description, ...members(schema), ''].join('\n');
}

function members(schema: JsonObject): string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  const required = new Set((schema.required ?? []) as string[]);
  if (properties.length === 0) return [typeOf(schema)];
  return [
    '| member | type | |',
    '|---|---|---|',
    ...properties.map(
      ([name, member]) =>
        `| \`${name}\`${required.has(name) ? '' : ' (optional)'} | ${typeOf(member)} | ${cell(member.description)} |`,
    ),
  ];
}

/** A schema in a few words. */
function typeOf({ $ref, type, items, anyOf, allOf, enum: values, const: value }: JsonObject): string {
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!;
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (Array.isArray(values)) return values.map((one) => `\`${String(one)}\``).join(', ');
  if (value !== undefined) return `\`${String(value)}\``;
  const options = (anyOf ?? allOf) as JsonObject[] | undefined;
  if (options !== undefined) return options.map(typeOf).join(' or ');
  if (type === 'array') return `list of ${typeOf((items ?? {}) as JsonObject)}`;
  return typeof type === 'string' ? type : 'any JSON value';
}

function cell(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll('|', '\\|').replaceAll('\n', ' ') : '';
}

function schemasOf(document: JsonObject): Record<string, JsonObject> {
  return ((document.components as JsonObject).schemas ?? {}) as Record<string, JsonObject>;
}
