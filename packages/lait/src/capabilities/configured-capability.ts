import { DefinitionError } from '../errors/errors.js';
import type { Capability, Environment, ToolService } from '../kinds/services.js';
import type { CapabilitySettings } from './capability-settings.js';
import { describeCapability } from './define-capability.js';
import { httpCapability } from './http-capability.js';
import { toolCapability } from './tool-capability.js';

export interface BackingContext {
  environment: Environment;
  tools: Pick<ToolService, 'registered'>;
}

/** A capability from an entry of `capabilities:`. Throws a `DefinitionError` unless exactly one thing backs it. */
export function configuredCapability(
  key: string,
  settings: CapabilitySettings,
  context: BackingContext,
): Capability {
  const { tool, workflow, http } = settings;
  const backings = [tool, workflow, http].filter((backing) => backing !== undefined);
  if (backings.length !== 1) {
    const message = `capabilities.${key} must name exactly one of tool, workflow and http`;
    throw new DefinitionError({
      code: 'capability_backing',
      message,
      diagnostics: [{ code: 'capability_backing', severity: 'error', message, path: `capabilities.${key}` }],
    });
  }
  const described = describeCapability(key, settings);
  if (tool !== undefined) return toolCapability(described, tool, context.tools);
  if (http !== undefined) return httpCapability(described, http, context.environment);
  return {
    ...described,
    workflow: (inputs) => ({ reference: workflow!, inputs }),
    execute: () => Promise.reject(new Error('a workflow capability is run by the engine')),
  };
}
