import type { Question } from '../engine/question.js';
import { StepError } from '../errors/errors.js';
import { isLaitError, messageChain } from '../errors/lait-error.js';
import type { JsonObject } from '../values/value.js';
import { attentionQuestion } from './attention.js';
import { outputMismatch } from './capability-schemas.js';
import { type CapabilityFields, isRepeatable, outputOf } from './capability-values.js';
import type { StepContext } from './kind.js';
import type { Capability, CapabilityContext, CapabilityResult } from './services.js';

export interface CapabilityCall {
  capability: Capability;
  inputs: JsonObject;
  activationId: string;
  fields: CapabilityFields;
  signal: AbortSignal;
}

type CallResult =
  | { output: JsonObject; effects: readonly string[] }
  | { suspended: Question }
  | { cancelled: true };

/**
 * One call of a capability, and what its end means: a value, a failure, or a question to a person. A call that a cancel
 * reached under way is judged by what is known about it. Source: graph facts §7.3, §7.7.
 */
export async function callCapability(call: CapabilityCall, context: StepContext): Promise<CallResult> {
  const { capability, inputs } = call;
  let result: CapabilityResult;
  try {
    result = await capability.execute(inputs, callContext(call, context));
  } catch (error) {
    if (stoppedBy(context) === 'person')
      return afterCancel({ status: 'failed', certainty: 'unknown' }, capability);
    context.cancel.throwIfCancelled();
    throw failed(capability, messageChain(error));
  }
  if (stoppedBy(context) === 'person') return afterCancel(result, capability);
  // A process that shuts down keeps what a call gives; one that broke off is judged or repeated later.
  if (result.status !== 'succeeded') context.cancel.throwIfCancelled();
  switch (result.status) {
    case 'succeeded':
      return accept(result, call, context);
    case 'needs_attention': {
      const { output, effects = [], certainty = 'unknown' } = result;
      return {
        suspended: attentionQuestion({
          reason: 'reported_by_capability',
          certainty,
          ...(output !== undefined && { output: outputOf(output) }),
          effects,
        }),
      };
    }
    case 'cancelled':
      return {
        suspended: {
          type: 'resume',
          text: `the call of '${capability.key}' was cancelled`,
          payload: { cancelled: true },
        },
      };
    default:
      throw failed(capability, result.error ?? 'no reason given');
  }
}

function callContext(
  { activationId, fields, signal }: CapabilityCall,
  context: StepContext,
): CapabilityContext {
  const { loop } = context.scope;
  return {
    runId: context.runId,
    workflowId: context.plan.id,
    nodeId: context.node.id ?? context.node.path,
    activationId,
    attempt: context.attempt,
    retryCount: context.attempt - 1,
    ...(fields.loop_node_id !== undefined &&
      loop !== null && { loopContext: { loop_node_id: fields.loop_node_id, iteration: loop.index } }),
    ...(fields.target !== undefined && { target: fields.target }),
    signal,
  };
}

async function accept(
  result: CapabilityResult,
  { capability, fields }: CapabilityCall,
  context: StepContext,
): Promise<CallResult> {
  const output = outputOf(result.output);
  const mismatch = await outputMismatch(capability, output);
  if (mismatch !== undefined) {
    if (context.listening) {
      context.emit({
        type: 'output.mismatched',
        capability: capability.key,
        errors: mismatch,
        ...context.eventFields(),
      });
    }
    if (fields.strict)
      throw new StepError({ code: 'output_invalid', message: `capability '${capability.key}': ${mismatch}` });
  }
  return { output, effects: result.effects ?? [] };
}

/** Who stopped the run: a person who wants no more of it, or a process that shuts down and will go on later. */
function stoppedBy({ cancel }: StepContext): 'person' | 'shutdown' | undefined {
  if (!cancel.cancelled) return undefined;
  const reason: unknown = cancel.signal.reason;
  if (!isLaitError(reason) || reason.category !== 'cancelled') return undefined;
  return reason.code === 'interrupted' ? 'shutdown' : 'person';
}

function afterCancel(result: CapabilityResult, capability: Capability): CallResult {
  const { status, output, effects = [], certainty } = result;
  const kept = { ...(output !== undefined && { output: outputOf(output) }), effects };
  if (status === 'succeeded') {
    return {
      suspended: attentionQuestion({
        reason: 'cancel_after_external_completion',
        certainty: 'completed',
        ...kept,
      }),
    };
  }
  const unknown = status === 'needs_attention' || (certainty === 'unknown' && !isRepeatable(capability));
  if (unknown) {
    return {
      suspended: attentionQuestion({
        reason: 'cancel_with_unknown_external_result',
        certainty: 'unknown',
        ...kept,
      }),
    };
  }
  // A confirmed stop, or a call that leaves nothing behind: there is nothing to decide.
  return { cancelled: true };
}

function failed({ key }: Capability, reason: string): StepError {
  return new StepError({ code: 'capability_failed', message: `capability '${key}' failed: ${reason}` });
}
