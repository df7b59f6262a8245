import { z } from 'zod';
import { type Route, route } from '../http/route.js';
import { json, time } from './schemas.js';

const tag = 'Registry';
const listed = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
const text = z.string().nullable();

/** What workflows of this server can name. */
export const registryRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/agents',
    operation: 'listAgents',
    summary: 'List registered agents',
    tag,
    scope: 'read',
    responses: {
      200: {
        description: 'Agents by name; one whose file cannot be read says why.',
        schema: listed(
          z
            .object({ name: z.string(), title: text, description: text, model: text, problem: text })
            .meta({ id: 'Agent' }),
        ),
      },
    },
    async handle({ signal }, { services: { agents }, secrets }) {
      const items = await Promise.all(
        agents.registeredNames().map(async (name) => {
          try {
            const agent = await agents.registered(name, { signal });
            const { name: title = null, description = null, model = null } = agent ?? {};
            return { name, title, description, model, problem: null };
          } catch (error) {
            const problem = secrets.mask((error as Error).message);
            return { name, title: null, description: null, model: null, problem };
          }
        }),
      );
      return { body: { items } };
    },
  }),
  route({
    method: 'get',
    path: '/tools',
    operation: 'listTools',
    summary: 'List registered tools and MCP servers',
    description: 'MCP servers are not started for it: what tools they have is known when a run uses them.',
    tag,
    scope: 'read',
    responses: {
      200: {
        description: 'Tools by key.',
        schema: z.object({
          items: z.array(
            z
              .object({ key: z.string(), description: text, input_schema: json, output_schema: json })
              .meta({ id: 'Tool' }),
          ),
          mcp_servers: z.array(z.object({ name: z.string(), transport: z.enum(['stdio', 'http']) })),
        }),
      },
    },
    handle(_request, { services, configuration }) {
      const { tools } = services.forRun();
      const items = tools.registeredKeys().map((key) => {
        const tool = tools.registered(key);
        return {
          key,
          description: tool?.description ?? null,
          input_schema: tool?.inputSchema ?? null,
          output_schema: tool?.outputSchema ?? null,
        };
      });
      const servers = Object.entries(configuration.values.mcp_servers ?? {});
      const mcp_servers = servers.map(([name, { url }]) => ({
        name,
        transport: url === undefined ? 'stdio' : 'http',
      }));
      return { body: { items, mcp_servers } };
    },
  }),
  route({
    method: 'get',
    path: '/models',
    operation: 'listModels',
    summary: 'List model aliases',
    description: 'Keys, headers and addresses of servers are not shown.',
    tag,
    scope: 'read',
    responses: {
      200: {
        description: 'Aliases with the models behind them, the preferred one first.',
        schema: z.object({
          default_model: text,
          items: z.array(
            z.object({ alias: z.string(), models: z.array(z.string()) }).meta({ id: 'ModelAlias' }),
          ),
        }),
      },
    },
    handle(_request, { configuration: { values } }) {
      const items = Object.entries(values.models ?? {}).map(([alias, entries]) => ({
        alias,
        models: entries.map(({ model_id }) => model_id),
      }));
      return { body: { default_model: values.default?.model ?? null, items } };
    },
  }),
  route({
    method: 'get',
    path: '/capabilities',
    operation: 'listCapabilities',
    summary: 'List capabilities of the graph form',
    tag,
    scope: 'read',
    responses: {
      200: {
        description: 'Capabilities by key.',
        schema: listed(
          z
            .object({
              key: z.string(),
              label: text,
              description: text,
              enabled: z.boolean(),
              approval_policy: z.enum(['auto', 'plan_required']),
              read_only: z.boolean().nullable(),
              idempotent: z.boolean().nullable(),
              effects: z.array(z.string()),
              input_schema: json,
              output_schema: json,
            })
            .meta({ id: 'Capability' }),
        ),
      },
    },
    handle(_request, { services }) {
      const items = services.capabilities.list().map((capability) => ({
        key: capability.key,
        label: capability.label ?? null,
        description: capability.description ?? null,
        enabled: capability.enabled,
        approval_policy: capability.approval_policy,
        read_only: capability.read_only ?? null,
        idempotent: capability.idempotent ?? null,
        effects: capability.effects,
        input_schema: capability.input_schema ?? null,
        output_schema: capability.output_schema ?? null,
      }));
      return { body: { items } };
    },
  }),
  route({
    method: 'get',
    path: '/usage',
    operation: 'getUsage',
    summary: 'What models used, by workflow and model',
    tag,
    scope: 'read',
    query: z.strictObject({
      run_id: z.string().max(200).optional(),
      workflow: z.string().max(200).optional(),
      model: z.string().max(200).optional(),
      from: time.optional(),
      before: time.optional(),
      group_by: z
        .string()
        .transform((names) => names.split(','))
        .pipe(z.array(z.enum(['workflow', 'model'])))
        .optional()
        .describe('`workflow`, `model`, or both, separated by a comma. Default: one sum.'),
    }),
    responses: {
      200: {
        description: 'Sums. A cost that is not known is null, never 0.',
        schema: listed(
          z
            .object({
              workflow: z.string().optional(),
              model: z.string().optional(),
              requests: z.int(),
              input_tokens: z.int(),
              cached_input_tokens: z.int(),
              cache_write_tokens: z.int(),
              output_tokens: z.int(),
              cost: z.number().nullable(),
            })
            .meta({ id: 'Usage' }),
        ),
      },
    },
    async handle({ query }, { usage }) {
      const { run_id, group_by, from, before, ...rest } = query;
      const items = await usage.total({
        ...rest,
        ...(run_id !== undefined && { runId: run_id }),
        ...(from !== undefined && { from: new Date(from).toISOString() }),
        ...(before !== undefined && { before: new Date(before).toISOString() }),
        ...(group_by !== undefined && { groupBy: [...new Set(group_by)] }),
      });
      return { body: { items } };
    },
  }),
];
