import { z } from 'zod';

/** A definition as clients send it: what is not named is left out. Source: dynamic facts §7, body schema. */

const text = z.string().min(1);
const metadata = z.record(z.string(), z.unknown()).nullish();
const described = { description: z.string().nullish(), metadata };
const schema = z.union([z.record(z.string(), z.unknown()), z.boolean()]);
const options = z.object({ retries: z.int().min(0).nullish(), metadata }).nullish();

const operand = z.union([z.object({ path: z.string() }), z.object({ literal: z.unknown() })]);

const predicate: z.ZodType = z.lazy(() =>
  z.discriminatedUnion('op', [
    z.object({ op: z.enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte']), left: operand, right: operand }),
    z.object({ op: z.enum(['in', 'notIn']), value: operand, set: z.array(z.unknown()).min(1) }),
    z.object({ op: z.enum(['exists', 'notExists']), path: z.string() }),
    z.object({ op: z.enum(['truthy', 'falsy']), value: operand }),
    z.object({ op: z.enum(['and', 'or']), args: z.array(predicate).min(1) }),
    z.object({ op: z.literal('not'), arg: predicate }),
  ]),
);

const agent = z.object({
  type: z.literal('agent'),
  id: text,
  agentId: text,
  outputSchema: schema.nullish(),
  options,
  ...described,
});
const tool = z.object({ type: z.literal('tool'), id: text, toolId: text, options, ...described });
const classifier = z.object({
  type: z.literal('classifier'),
  id: text,
  classifierId: text,
  options: z
    .object({
      maxRetries: z.int().min(0).nullish(),
      providerOptions: z.record(z.string(), z.unknown()).nullish(),
      retries: z.int().min(0).nullish(),
      metadata,
    })
    .nullish(),
  ...described,
});
const workflow = z.object({ type: z.literal('workflow'), id: text, workflowId: text, ...described });
const plain = z.object({ type: z.literal('step'), step: z.object({ id: text }) });
const mapping = z.object({ type: z.literal('mapping'), id: text, mapConfig: z.string(), ...described });
const step = z.discriminatedUnion('type', [agent, tool, classifier, workflow, plain, mapping]);
const container = { id: z.string().nullish(), ...described };

const entry = z.discriminatedUnion('type', [
  agent,
  tool,
  classifier,
  workflow,
  plain,
  mapping,
  z.object({ type: z.literal('parallel'), ...container, steps: z.array(step) }),
  z.object({
    type: z.literal('conditional'),
    ...container,
    steps: z.array(step),
    predicates: z.array(predicate.nullable()).nullish(),
  }),
  z.object({
    type: z.literal('foreach'),
    ...container,
    step,
    opts: z.object({ concurrency: z.int().min(1).nullish() }).nullish(),
  }),
  z.object({
    type: z.literal('loop'),
    ...container,
    loopType: z.enum(['dowhile', 'dountil']),
    step,
    predicate: predicate.nullish(),
  }),
  z.object({ type: z.literal('sleep'), id: text, duration: z.number(), ...described }),
  z.object({ type: z.literal('sleepUntil'), id: text, date: z.string(), ...described }),
]);

const definition = z.object({
  id: text.max(200),
  description: z.string().nullish(),
  metadata,
  inputSchema: schema,
  outputSchema: schema,
  stateSchema: schema.nullish(),
  requestContextSchema: schema.nullish(),
  graph: z.array(entry),
});

/** The body of `POST /stored/workflows`: a definition, and others that it calls. */
export const upsertBody = definition.extend({ dependencies: z.array(definition).max(100).optional() });
