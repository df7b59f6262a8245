import { isObject, type JsonObject, type JsonValue, type Value } from '../values/value.js';
import type { Capability } from './services.js';

export interface CapabilityFields {
  capability_key: string;
  /** Fails when the output does not fit what the capability declares. */
  strict: boolean;
  target?: JsonValue;
  loop_node_id?: string;
}

/** Whether calling it twice does no harm. */
export function isRepeatable(capability: Capability | undefined): boolean {
  return capability?.idempotent === true || capability?.read_only === true;
}

/** The text of an answer, whatever was answered. Source: graph facts §2.8. */
export function answerText(answer: JsonValue): string {
  if (answer === null) return '';
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
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
