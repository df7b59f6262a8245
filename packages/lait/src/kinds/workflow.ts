import { PlacedFailure } from '../engine/failure.js';
import { StepError } from '../errors/errors.js';
import type { Expression } from '../expressions/expression.js';
import { isObject } from '../values/value.js';
import { completed, type Kind } from './kind.js';

interface WorkflowFields {
  workflow: string;
  with?: Expression;
}

/** `workflow`: another workflow, of any form, as one step. Source: steps seed, `workflow`. */
export const workflowKind: Kind<WorkflowFields> = {
  name: 'workflow',
  shape: 'action',
  description: 'Runs another workflow; its result is the value.',
  fields: {
    workflow: {
      type: 'text',
      notBlank: true,
      required: true,
      description: 'A path relative to this file, or a name under workflows: of lait.config.yml.',
    },
    with: { type: 'jq', description: "An object with the child's inputs." },
  },
  // What the child does is known only when it is read.
  effects: 'rerun',
  callsWorkflow: ({ workflow }) => workflow,
  expressions: (fields) => (fields.with === undefined ? [] : [{ name: 'with', expression: fields.with }]),
  async execute(fields, context) {
    const inputs = fields.with === undefined ? undefined : context.evaluate(fields.with);
    if (inputs !== undefined && !isObject(inputs)) {
      throw new StepError({ code: 'with_not_an_object', message: 'with must give an object' });
    }
    const plan = await context.services.workflows.load(fields.workflow, context.plan.directory, {
      signal: context.cancel.signal,
      callers: context.callers,
    });
    try {
      return completed(await context.runPlan(plan, { value: context.input, inputs }));
    } catch (error) {
      context.cancel.throwIfCancelled();
      // Steps of the child are named like those of its caller: the way down tells them apart.
      const { id, path } = context.node;
      const step = id === undefined ? path : `${path} (id '${id}')`;
      throw new PlacedFailure(`${step}, workflow '${plan.id}' failed`, error, { workflow: plan.id });
    }
  },
};
