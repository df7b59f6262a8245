import type { Capability, CapabilityContext, CapabilityResult } from '../kinds/services.js';
import { isObject, type JsonObject, type JsonValue } from '../values/value.js';
import type { CommonCapabilitySettings } from './capability-settings.js';

export interface CapabilityOptions extends CommonCapabilitySettings {
  key: string;
  /**
   * Does the work. A plain value is the output of a success that achieved every declared effect; a result with
   * `status` says more. What it throws fails the node. `context.activationId` stays the same when a call is repeated.
   */
  execute(
    inputs: JsonObject,
    context: CapabilityContext,
  ): Promise<CapabilityResult | JsonValue> | CapabilityResult | JsonValue;
}

const resultKeys = ['status', 'output', 'effects', 'error', 'certainty'];
const statuses = ['succeeded', 'failed', 'cancelled', 'needs_attention'];

/**
 * Defines a capability of the graph form in code.
 *
 * @example
 * defineCapability({
 *   key: 'shorten',
 *   read_only: true,
 *   input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
 *   execute: ({ text }) => ({ text: String(text).slice(0, 80) }),
 * });
 */
export function defineCapability({ execute, ...settings }: CapabilityOptions): Capability {
  const capability = describeCapability(settings.key, settings);
  return {
    ...capability,
    async execute(inputs, context) {
      const result = await execute(inputs, context);
      return isResult(result) ? result : { status: 'succeeded', output: result, effects: capability.effects };
    },
  };
}

/** The declared side of a capability with its defaults. */
export function describeCapability(
  key: string,
  settings: CommonCapabilitySettings,
): Omit<Capability, 'execute'> {
  const {
    label,
    description,
    enabled = true,
    read_only,
    idempotent,
    effects = [],
    input_schema,
    output_schema,
    target_schema,
    strict_allowed,
    contract,
  } = settings;
  const reads = read_only === true;
  return {
    key,
    enabled,
    approval_policy: settings.approval_policy ?? (reads ? 'auto' : 'plan_required'),
    effects,
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(read_only !== undefined && { read_only }),
    ...(idempotent !== undefined && { idempotent }),
    ...(input_schema !== undefined && { input_schema }),
    ...(output_schema !== undefined && { output_schema }),
    ...(target_schema !== undefined && { target_schema }),
    ...(strict_allowed !== undefined && { strict_allowed }),
    ...(contract !== undefined && { contract }),
  };
}

/** A result has a known status and nothing that a result does not have; anything else is an output. */
function isResult(value: CapabilityResult | JsonValue): value is CapabilityResult {
  if (!isObject(value) || !statuses.includes(value.status as string)) return false;
  return Object.keys(value).every((key) => resultKeys.includes(key));
}
