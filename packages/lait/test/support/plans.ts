import type { EffectContext, EffectResult } from '../../src/engine/runtime.js';
import { type RunResult, type StartRunOptions, startRun } from '../../src/engine/start-run.js';
import type { Expression } from '../../src/expressions/expression.js';
import type { Scope } from '../../src/expressions/scope.js';
import { kinds } from '../../src/kinds/index.js';
import type { Kind, Kinds } from '../../src/kinds/kind.js';
import type { Services } from '../../src/kinds/services.js';
import type { Block, Plan, PlanNode } from '../../src/plan/plan.js';
import { noSettings } from '../../src/plan/settings.js';
import type { Value } from '../../src/values/value.js';

/** An expression made of a function, for plans that are built by hand. */
export function compute<T extends Value>(
  evaluate: (scope: Scope) => T,
  steps: readonly string[] = [],
): Expression<T> {
  return {
    language: 'constant',
    source: evaluate.toString(),
    references: steps.map((id) => ({ root: 'steps', path: [id] })),
    evaluate,
  };
}

/** A kind whose effect is the function among its fields. */
export const callKind: Kind<{
  call: (input: Value, context: EffectContext) => Promise<EffectResult>;
  interrupted?: 'rerun' | 'attention';
}> = {
  name: 'call',
  shape: 'action',
  description: 'Calls a function of the test.',
  effects: 'rerun',
  async execute({ call, interrupted }, context) {
    return { value: await context.effect((effect) => call(context.input, effect), { interrupted }) };
  },
};

export const testKinds: Kinds = new Map(
  [...kinds.values(), callKind as unknown as Kind].map((kind) => [kind.name, kind]),
);

export type Step = Partial<Omit<PlanNode, 'kind' | 'fields' | 'onError'>> & {
  kind: string;
  fields?: Record<string, unknown>;
  onError?: Step[];
};

/** Numbers the steps of a block as the steps form does. */
export function block(path: string, steps: readonly Step[]): Block {
  return {
    path,
    nodes: steps.map((step, index) => {
      const place = `${path}[${index}]`;
      return {
        path: place,
        label: step.id ?? `step-${index + 1} (${step.kind})`,
        ...step,
        fields: step.fields ?? {},
        onError: step.onError === undefined ? undefined : block(`${place}.on_error`, step.onError),
      };
    }),
  };
}

export function plan(steps: readonly Step[], rest: Partial<Plan> = {}): Plan {
  return {
    form: 'steps',
    id: 'test',
    origin: 'test',
    sources: [],
    accept: ({ value = null, inputs = {}, state = {}, context = {} }) => ({ value, inputs, state, context }),
    body: block('steps', steps),
    settings: noSettings,
    ...rest,
  };
}

/** A step that computes. */
export function jq(evaluate: (scope: Scope) => Value, rest: Partial<Step> = {}): Step {
  return { kind: 'jq', fields: { jq: compute(evaluate) }, ...rest };
}

/** A step with an effect. */
export function call(
  run: (input: Value, context: EffectContext) => Value | Promise<Value>,
  rest: Partial<Step> & { interrupted?: 'rerun' | 'attention' } = {},
): Step {
  const { interrupted, ...step } = rest;
  const fields = {
    call: async (input: Value, context: EffectContext) => ({ value: await run(input, context) }),
    interrupted,
  };
  return { kind: 'call', fields, ...step };
}

export function start(what: Plan, value: Value = null, options: Partial<StartRunOptions> = {}) {
  return startRun(what, { value }, { services: {} as Services, kinds: testKinds, ...options });
}

export function run(
  what: Plan,
  value: Value = null,
  options: Partial<StartRunOptions> = {},
): Promise<RunResult> {
  return start(what, value, options).settled();
}

/** The value of a run that must have completed. */
export async function resultOf(
  what: Plan,
  value: Value = null,
  options: Partial<StartRunOptions> = {},
): Promise<Value> {
  const result = await run(what, value, options);
  if (result.status !== 'completed') throw new Error(`run ended as ${result.status}`, { cause: result });
  return result.value;
}
