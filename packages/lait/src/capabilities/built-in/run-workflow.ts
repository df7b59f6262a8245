import type { Capability } from '../../kinds/services.js';
import { isObject } from '../../values/value.js';
import type { CapabilitySettings } from '../capability-settings.js';
import { describeCapability } from '../define-capability.js';

/** Runs a workflow of any form as part of the run; its value is the output. */
export function runWorkflow(key: string, settings: CapabilitySettings): Capability {
  return {
    ...describeCapability(key, {
      description: 'Runs another workflow and gives its value.',
      input_schema: {
        type: 'object',
        properties: { workflow: { type: 'string', minLength: 1 }, inputs: { type: 'object' } },
        required: ['workflow'],
        additionalProperties: false,
      },
      ...settings,
    }),
    workflow: ({ workflow, inputs }) => ({
      reference: String(workflow),
      inputs: isObject(inputs) ? inputs : {},
    }),
    execute: () => Promise.reject(new Error('a workflow is run by the engine')),
  };
}
