import { readTypedValue } from '../../../expressions/typed-reference-value.js';
import { strictInputSchema } from '../../../kinds/capability-schemas.js';
import { type CapabilityFields, mayBeStrict } from '../../../kinds/capability-values.js';
import type { Capability } from '../../../kinds/services.js';
import { isObject, ownProperty } from '../../../values/value.js';
import type { GraphNode } from '../definition.js';
import type { GraphCheck } from '../graph-check.js';
import { checkInputs } from './inputs.js';
import type { GraphNodeType } from './node-type.js';
import { checkRetry, retryPolicy } from './retry.js';

/** Calls a capability of the registry. Source: graph seed, capability Node; facts §2.1. */
export const capabilityType: GraphNodeType = {
  type: 'capability',
  description: 'Calls a capability of the registry.',
  keys: ['capability_key', 'inputs', 'retry', 'target', 'fail_on_output_mismatch'],
  check(node, check) {
    const key = ownProperty(node.config, 'capability_key');
    if (typeof key !== 'string' || key.trim() === '') {
      check.report(
        node,
        'capability_key_required',
        'a capability node needs a capability_key',
        'capability_key',
      );
    }
    const capability = check.capability(node);
    if (typeof key === 'string' && key.trim() !== '') checkAvailable(node, key, capability, check);
    checkInputs(node, check, {
      code: 'inputs_shape',
      schema: capability?.input_schema && strictInputSchema(capability.input_schema),
    });
    checkRetry(node, check);
    checkTarget(node, check, capability);
    checkStrict(node, check, capability);
    if (capability !== undefined) warnOfEffects(node, check, capability);
  },
  output: (node, check) => check.capability(node)?.output_schema,
  lower(node, lowering) {
    const fields: CapabilityFields = {
      capability_key: node.config.capability_key as string,
      strict: node.config.fail_on_output_mismatch === true,
      ...(Object.hasOwn(node.config, 'target') && { target: node.config.target }),
      ...(node.parent_loop_node_id !== null && { loop_node_id: node.parent_loop_node_id }),
    };
    return {
      kind: 'capability',
      fields,
      input: lowering.value(node.config.inputs ?? {}),
      retry: retryPolicy(node.config.retry),
    };
  },
};

function checkAvailable(
  node: GraphNode,
  key: string,
  capability: Capability | undefined,
  check: GraphCheck,
): void {
  const { options } = check;
  if (options.capabilities === undefined || capability?.enabled === true) return;
  if (capability === undefined && options.onUnknownName !== undefined) {
    options.onUnknownName();
    return;
  }
  const enabled = options.capabilities.list().filter((one) => one.enabled);
  const known = enabled.map((one) => one.key);
  const reason = capability === undefined ? 'does not exist' : 'is switched off';
  const message = `capability '${key}' ${reason}; there are ${known.join(', ') || 'none'}`;
  check.report(node, 'capability_disabled', { message, misnamed: { name: key, known } }, 'capability_key');
}

function checkTarget(node: GraphNode, check: GraphCheck, capability: Capability | undefined): void {
  const schema = capability?.target_schema;
  if (schema === undefined) return;
  const target = ownProperty(node.config, 'target');
  if (target === undefined || target === null) {
    check.report(node, 'target_required', `capability '${capability!.key}' needs a target`);
    return;
  }
  const typed = readTypedValue(target);
  if (typed.parts.length > 0 || typed.issues.length > 0) {
    check.report(
      node,
      'target_required',
      'a target must be written out: references and expressions are not allowed',
      'target',
    );
    return;
  }
  check.literal(target, [...node.configPath, 'target'], check.placeOf(node), {
    schema,
    code: 'target_required',
    severity: 'error',
    complete: true,
  });
}

function checkStrict(node: GraphNode, check: GraphCheck, capability: Capability | undefined): void {
  const strict = ownProperty(node.config, 'fail_on_output_mismatch');
  if (strict === undefined) return;
  if (typeof strict !== 'boolean') {
    check.report(
      node,
      'strict_shape',
      'fail_on_output_mismatch must be true or false',
      'fail_on_output_mismatch',
    );
  } else if (strict && capability !== undefined && !mayBeStrict(capability)) {
    check.report(
      node,
      'strict_policy',
      `capability '${capability.key}' cannot be strict: only what reads and declares its output can`,
      'fail_on_output_mismatch',
    );
  }
}

function warnOfEffects(node: GraphNode, check: GraphCheck, capability: Capability): void {
  const acts = capability.effects.length > 0 || capability.read_only === false;
  if (acts)
    check.warn(node, 'capability_effects', `capability '${capability.key}' changes something outside`);
  const retry = ownProperty(node.config, 'retry');
  const repeats = isObject(retry) && typeof retry.max_attempts === 'number' && retry.max_attempts > 0;
  if (acts && repeats && capability.idempotent !== true) {
    const message = `capability '${capability.key}' may be called ${(retry.max_attempts as number) + 1} times; it does not say that repeating is harmless`;
    check.warn(node, 'retry_effects', message, 'retry');
  }
}
