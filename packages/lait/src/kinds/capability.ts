import type { Question } from '../engine/question.js';
import type { EffectContext, EffectResult } from '../engine/runtime.js';
import { CancelledError, StepError } from '../errors/errors.js';
import { isObject, type JsonObject, type JsonValue, type Value } from '../values/value.js';
import { attentionDecision } from './attention.js';
import { type CapabilityCall, callCapability } from './capability-call.js';
import { checkCapabilityInputs } from './capability-schemas.js';
import { runCapabilityWorkflow } from './capability-workflow.js';
import { continuedActivation, interruptionQuestion } from './interruption.js';
import { completed, type Kind, type StepContext } from './kind.js';
import type { Capability } from './services.js';

export interface CapabilityFields {
  capability_key: string;
  /** Fails when the output does not fit what the capability declares. */
  strict: boolean;
  target?: JsonValue;
  loop_node_id?: string;
}

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
    });
    const ended = value as unknown as ActivationValue;
    if ('cancelled' in ended) throw new CancelledError();
    context.missEffects(ended.missing);
    return completed(ended.output);
  },
};

/** What the record keeps of an activation: its output with the effects it missed, or that a cancel stopped it. */
type ActivationValue = { output: JsonObject; missing: string[] } | { cancelled: true };

/** Whether calling it twice does no harm. */
export function isRepeatable(capability: Capability | undefined): boolean {
  return capability?.idempotent === true || capability?.read_only === true;
}

async function askPerson(
  asks: (inputs: JsonObject) => Question,
  fields: CapabilityFields,
  context: StepContext,
): Promise<JsonObject> {
  const inputs = inputsOf(context.input);
  await checkCapabilityInputs(context.services.capabilities.get(fields.capability_key)!, inputs);
  return { answer: answerText(await context.ask(asks(inputs))) };
}

/** The text of an answer, whatever was answered. Source: graph facts §2.8. */
export function answerText(answer: JsonValue): string {
  if (answer === null) return '';
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
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
    const missing = missingEffects(capability, effects);
    return { value: { output: outputOf(decision.output), missing }, effects };
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
  const inputs = inputsOf(context.input);
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

/** Effects are counted per node: another node's effect does not make up for a missing one. Source: facts §7.5. */
function missingEffects(capability: Capability | undefined, achieved: readonly string[]): string[] {
  return (capability?.effects ?? []).filter((effect) => !achieved.includes(effect));
}

/** An output is an object; free text becomes its summary. Source: graph facts §2.1. */
export function outputOf(output: Value): JsonObject {
  if (isObject(output)) return output;
  if (output === undefined || output === null) return {};
  return { summary: typeof output === 'string' ? output : JSON.stringify(output) };
}

/** Why a capability cannot be called now. */
export function unavailable(key: string, capability: Capability | undefined): string {
  const state = capability === undefined ? 'does not exist' : 'is switched off';
  return `capability '${key}' ${state}; change the registry and resume the run`;
}

export function inputsOf(input: Value): JsonObject {
  return isObject(input) ? input : {};
}
