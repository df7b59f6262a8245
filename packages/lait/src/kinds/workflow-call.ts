import type { Plan } from '../plan/plan.js';
import { isObject } from '../values/value.js';
import { completed, type Kind } from './kind.js';

interface WorkflowCallFields {
  workflowId: string;
  /** The workflow as it was when the caller was registered; without it, it is looked up by its id. */
  plan?: Plan;
}

/** `workflow` of the dynamic form: another workflow of any form on the step's input. Source: dynamic seed. */
export const workflowCallKind: Kind<WorkflowCallFields> = {
  name: 'workflow_call',
  shape: 'action',
  description: 'Runs a registered workflow on the input; its result is the value.',
  effects: 'rerun',
  callsWorkflow: ({ workflowId }) => workflowId,
  async execute({ workflowId, plan }, context) {
    const { input } = context;
    const child =
      plan ??
      (await context.services.workflows.load(workflowId, context.plan.directory, {
        signal: context.cancel.signal,
        callers: context.callers,
      }));
    // One that declares no inputs refuses them.
    const takesInputs = child.inputs !== undefined || child.inputSchema !== undefined;
    return completed(
      await context.runPlan(child, {
        value: input,
        inputs: takesInputs && isObject(input) ? input : undefined,
      }),
    );
  },
};
