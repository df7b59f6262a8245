import { textOf } from '../values/text.js';
import { isObject, type JsonObject, type JsonValue, type Value } from '../values/value.js';
import type { Capability } from './services.js';

export interface CapabilityFields {
  capability_key: string;
  /** Fails when the output does not fit what the capability declares. */
  strict: boolean;
  target?: JsonValue;
  loop_node_id?: string;
}

export type ContractClass = 'structured' | 'receipt' | 'opaque';

/**
 * What its output is, by its contract, else by what it declares: fields of what it read, the receipt of what it did, or
 * nothing that is known. Only a contract restricts what may be read. Source: graph facts §3.7, §10.
 */
export function contractClassOf(capability: Capability): ContractClass {
  const { contract, output_schema, question } = capability;
  if (contract !== undefined) return contract as ContractClass;
  if (output_schema === undefined) return 'opaque';
  return capability.read_only === true || question !== undefined ? 'structured' : 'receipt';
}

/** Whether its nodes may set `fail_on_output_mismatch`: what reads, and what asks. Source: graph facts §2.1. */
export function mayBeStrict(capability: Capability): boolean {
  const { strict_allowed, output_schema } = capability;
  if (strict_allowed !== undefined) return strict_allowed;
  const reads = capability.read_only === true || capability.question !== undefined;
  return reads && output_schema !== undefined && contractClassOf(capability) === 'structured';
}

/** Whether calling it twice does no harm. */
export function isRepeatable(capability: Capability | undefined): boolean {
  return capability?.idempotent === true || capability?.read_only === true;
}

/** The text of an answer, whatever was answered. Source: graph facts §2.8. */
export function answerText(answer: JsonValue): string {
  return answer === null ? '' : textOf(answer);
}

/** An output is an object; free text becomes its summary. Source: graph facts §2.1. */
export function outputOf(output: Value): JsonObject {
  if (isObject(output)) return output;
  if (output === undefined || output === null) return {};
  return { summary: textOf(output) };
}

/** Why a capability cannot be called now. */
export function unavailable(key: string, capability: Capability | undefined): string {
  const state = capability === undefined ? 'does not exist' : 'is switched off';
  return `capability '${key}' ${state}; change the registry and resume the run`;
}
