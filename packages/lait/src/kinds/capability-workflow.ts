import type { JsonObject } from '../values/value.js';
import { checkCapabilityInputs } from './capability-schemas.js';
import { type CapabilityFields, outputOf, unavailable } from './capability-values.js';
import { interruptionQuestion } from './interruption.js';
import type { StepContext } from './kind.js';
import { namedInputs } from './named-inputs.js';
import { recordedOutput } from './recorded-output.js';

/** A capability that is a workflow of any form: its steps are recorded, wait and resume like any others. */
export function runCapabilityWorkflow(fields: CapabilityFields, context: StepContext): Promise<JsonObject> {
  const { capabilities, workflows } = context.services;
  return recordedOutput(context, async () => {
    let capability = capabilities.get(fields.capability_key);
    while (capability?.enabled !== true || capability.workflow === undefined) {
      const reason = unavailable(fields.capability_key, capability);
      await context.ask(interruptionQuestion({ reason, activation_id: context.address }));
      capability = capabilities.get(fields.capability_key);
    }
    const given = namedInputs(context.input);
    await checkCapabilityInputs(capability, given);
    const { reference, inputs } = capability.workflow(given);
    const plan = await workflows.load(reference, context.plan.directory, {
      signal: context.cancel.signal,
      callers: context.callers,
    });
    return outputOf(await context.runPlan(plan, { value: inputs, inputs }));
  });
}
