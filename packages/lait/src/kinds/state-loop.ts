import { StepError } from '../errors/errors.js';
import type { Block } from '../plan/plan.js';
import { checkGraphValue, describeProblems } from '../schema/graph-value.js';
import { isObject, type JsonObject, type Value } from '../values/value.js';
import { completed, type Kind } from './kind.js';

export interface StateLoopFields {
  state_schema: JsonObject;
  max_iterations: number;
  /** Ends with `{ state, again }`. */
  body: Block;
}

/**
 * The loop of the graph form: its input is the first state, the body gives each next one. The condition is asked after
 * every iteration and before the limit; at the limit the whole run ends as incomplete.
 * Source: graph seed, loop Node; facts §7.4 with its resolutions.
 */
export const stateLoopKind: Kind<StateLoopFields> = {
  name: 'state_loop',
  shape: 'control',
  description: 'Repeats a graph while a condition on its state holds.',
  effects: 'none',
  tellsInput: true,
  loop: true,
  blocks: ({ body }) => [{ name: 'body', title: 'body', block: body, repeated: true }],
  async execute({ state_schema, max_iterations, body }, context) {
    const input = stateOf(context.input, state_schema, 'the initial state');
    let state = input;
    for (let index = 1; ; index += 1) {
      if (context.listening) {
        context.emit({
          type: 'iteration.started',
          index: index - 1,
          maxIterations: max_iterations,
          state,
          ...context.eventFields(),
        });
      }
      const loop = { index, state, input };
      const completion = await context.runBlock(body, state, { key: index, loop, isolated: true });
      if (completion.control !== undefined) return completion;
      const { state: next, again } = completion.value as { state: JsonObject; again: boolean };
      state = stateOf(next, state_schema, `the state after iteration ${index}`);
      if (context.listening)
        context.emit({
          type: 'iteration.completed',
          index: index - 1,
          value: state,
          ...context.eventFields(),
        });
      const result = { final_state: state, iterations: index };
      if (!again) return completed({ ...result, exit_reason: 'condition_satisfied' });
      if (index >= max_iterations) {
        const value = { ...result, exit_reason: 'max_iterations_reached' };
        return { value, control: 'stop', outcome: 'incomplete' };
      }
    }
  },
};

function stateOf(value: Value, schema: JsonObject, name: string): JsonObject {
  const problems = checkGraphValue(schema, value);
  if (problems.length === 0 && isObject(value)) return value;
  throw new StepError({
    code: 'loop_state_invalid',
    message: `${name} does not fit the state_schema: ${describeProblems('state', problems)}`,
  });
}
