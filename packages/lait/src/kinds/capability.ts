import type { Question } from '../engine/question.js';
import type { EffectContext, EffectResult } from '../engine/runtime.js';
import { CancelledError, StepError } from '../errors/errors.js';
import type { JsonObject, Value } from '../values/value.js';
import { attentionDecision } from './attention.js';
import { type CapabilityCall, callCapability } from './capability-call.js';
import { checkCapabilityInputs } from './capability-schemas.js';
import {
  answerText,
  type CapabilityFields,
  isRepeatable,
  outputOf,
  unavailable,
} from './capability-values.js';
import { runCapabilityWorkflow } from './capability-workflow.js';
import { continuedActivation, interruptionQuestion } from './interruption.js';
import { completed, type Kind, type StepContext } from './kind.js';
import { namedInputs } from './named-inputs.js';
import type { Capability } from './services.js';

/**
 * The capability node of the graph form. The registry is asked at the moment of the call: one that was switched off
 * interrupts the run. What ended once is never called again. Source: graph seed, capability Node; facts §2.1, §7.3.
 */
export const capabilityKind: Kind<CapabilityFields> = {
  name: 'capability',
  shape: 'action',
  description: 'Calls a capability of the registry.',
  effects: 'attention',
  waits: true,
  needsApproval({ capability_key }, { capabilities }) {
    // What the registry does not know, or calls by an unknown name, needs a person's consent.
    return capabilities.get(capability_key)?.approval_policy !== 'auto';
  },
  async execute(fields, context) {
    const { capabilities } = context.services;
    const asks = capabilities.get(fields.capability_key)?.question;
    if (asks !== undefined) return completed(await askPerson(asks, fields, context));
    if (
      capabilities.get(fields.capability_key)?.workflow !== undefined ||
      context.recorded('output') !== undefined
    ) {
      return completed(await runCapabilityWorkflow(fields, context));
    }
    const repeatable = isRepeatable(capabilities.get(fields.capability_key));
    const value = await context.effect((effect) => activate(fields, effect, context), {
      interrupted: repeatable ? 'rerun' : 'attention',
      adopt: (output, effects) => adopted(fields, output, effects, context),
    });
    const ended = value as unknown as ActivationValue;
    if ('cancelled' in ended) throw new CancelledError();
    context.missEffects(ended.missing);
    return completed(ended.output);
  },
};

/** What the record keeps of an activation: its output with the effects it missed, or that a cancel stopped it. */
type ActivationValue = { output: JsonObject; missing: string[] } | { cancelled: true };

async function askPerson(
  asks: (inputs: JsonObject) => Question,
  fields: CapabilityFields,
  context: StepContext,
): Promise<JsonObject> {
  const inputs = namedInputs(context.input);
  await checkCapabilityInputs(context.services.capabilities.get(fields.capability_key)!, inputs);
  return { answer: answerText(await context.ask(asks(inputs))) };
}

async function activate(
  fields: CapabilityFields,
  effect: EffectContext,
  context: StepContext,
): Promise<EffectResult> {
  const { resume } = effect;
  const activationId = continuedActivation(resume) ?? effect.idempotencyKey;
  const capability = context.services.capabilities.get(fields.capability_key);
  const decision = attentionDecision(resume);
  if (decision?.decision === 'adopt') {
    const effects = decision.effects ?? [];
    return { value: adopted(fields, decision.output, effects, context), effects };
  }
  if (decision?.decision === 'fail') {
    throw new StepError({
      code: 'attention_failed',
      message: decision.reason ?? 'failed by decision of a person',
    });
  }
  if (capability?.enabled !== true) {
    const reason = unavailable(fields.capability_key, capability);
    return { suspended: interruptionQuestion({ reason, activation_id: activationId }) };
  }
  const inputs = namedInputs(context.input);
  await checkCapabilityInputs(capability, inputs);
  const call: CapabilityCall = { capability, inputs, activationId, fields, signal: effect.signal };
  const result = await callCapability(call, context);
  if ('suspended' in result) return result;
  if ('cancelled' in result) return { value: result };
  return {
    value: { output: result.output, missing: missingEffects(capability, result.effects) },
    effects: result.effects,
  };
}

/** The activation's value when a person states what the call gave. */
function adopted(
  fields: CapabilityFields,
  output: Value,
  effects: readonly string[],
  context: StepContext,
): JsonObject {
  const capability = context.services.capabilities.get(fields.capability_key);
  return { output: outputOf(output), missing: missingEffects(capability, effects) };
}

/** Effects are counted per node: another node's effect does not make up for a missing one. Source: facts §7.5. */
function missingEffects(capability: Capability | undefined, achieved: readonly string[]): string[] {
  return (capability?.effects ?? []).filter((effect) => !achieved.includes(effect));
}
