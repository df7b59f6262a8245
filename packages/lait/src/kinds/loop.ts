import { PlacedFailure } from '../engine/failure.js';
import { StepError } from '../errors/errors.js';
import type { Expression } from '../expressions/expression.js';
import { holds } from '../expressions/truth.js';
import type { FieldTable } from '../plan/fields.js';
import type { Block } from '../plan/plan.js';
import type { Completion, Kind, StepContext } from './kind.js';

interface LoopFields {
  max_iterations: number;
  steps: Block;
}

const loopFields = {
  max_iterations: {
    type: 'integer',
    minimum: 1,
    required: true,
    description: 'Most iterations; when the condition still asks for more, the step fails.',
  },
  steps: {
    type: 'block',
    required: true,
    description: "The body; each iteration's value is the next one's input.",
  },
} as const satisfies FieldTable;

function bodyOf({ steps }: LoopFields) {
  return { name: 'steps', title: 'body', block: steps, repeated: true };
}

/** `while`: judged before each iteration. Source: steps seed, `while` / `until`. */
export const whileKind: Kind<LoopFields & { while: Expression }> = {
  name: 'while',
  shape: 'control',
  description: 'Repeats steps while a condition holds, judged before each iteration.',
  fields: { while: { type: 'jq', required: true, description: 'The condition.' }, ...loopFields },
  effects: 'none',
  loop: true,
  blocks: (fields) => [{ ...bodyOf(fields), optional: true }],
  expressions: (fields) => [{ name: 'while', expression: fields.while, condition: true }],
  async execute(fields, context) {
    let completion: Completion = { value: context.input };
    for (let index = 0; ; index += 1) {
      if (!holds(judge(fields.while, completion, index, context))) return completion;
      if (index === fields.max_iterations) throw limitReached('while', fields.max_iterations);
      completion = await iterate(fields, completion, index, context);
      if (completion.control !== undefined) return leave(completion);
    }
  },
};

/** `until`: judged after each iteration. Source: steps seed, `while` / `until`. */
export const untilKind: Kind<LoopFields & { until: Expression }> = {
  name: 'until',
  shape: 'control',
  description: 'Repeats steps until a condition holds, judged after each iteration.',
  fields: { until: { type: 'jq', required: true, description: 'The condition.' }, ...loopFields },
  effects: 'none',
  loop: true,
  blocks: (fields) => [bodyOf(fields)],
  expressions: (fields) => [{ name: 'until', expression: fields.until, sees: 'result', condition: true }],
  async execute(fields, context) {
    let completion: Completion = { value: context.input };
    for (let index = 0; index < fields.max_iterations; index += 1) {
      completion = await iterate(fields, completion, index, context);
      if (completion.control !== undefined) return leave(completion);
      if (holds(judge(fields.until, completion, index, context))) return completion;
    }
    throw limitReached('until', fields.max_iterations);
  },
};

function judge(condition: Expression, { value }: Completion, index: number, context: StepContext) {
  return context.evaluate(condition, value, { index });
}

async function iterate(
  { max_iterations, steps }: LoopFields,
  { value }: Completion,
  index: number,
  context: StepContext,
) {
  if (context.listening) {
    context.emit({
      type: 'iteration.started',
      index,
      maxIterations: max_iterations,
      ...context.eventFields(),
    });
  }
  try {
    return await context.runBlock(steps, value, { key: index, loop: { index } });
  } catch (error) {
    context.cancel.throwIfCancelled();
    throw new PlacedFailure(`iteration [${index}] failed`, error, { iteration: index });
  }
}

/** A break ends here; a stop goes on outwards. */
function leave(completion: Completion): Completion {
  return completion.control === 'break' ? { value: completion.value } : completion;
}

function limitReached(kind: string, maxIterations: number): StepError {
  return new StepError({
    code: 'max_iterations_reached',
    message: `${kind} did not end within max_iterations: ${maxIterations}`,
    details: { max_iterations: maxIterations },
  });
}
