import { resolve } from 'node:path';
import { StepError } from '../../errors/errors.js';
import type { Environment } from '../../kinds/services.js';
import type { CapabilitySettings } from '../capability-settings.js';

/** The directory that a file capability is confined to. Without one it refuses to work. */
export function fileRoot(
  key: string,
  { root }: CapabilitySettings,
  { workingDirectory }: Environment,
): string {
  if (root !== undefined) return resolve(workingDirectory, root);
  throw new StepError({
    code: 'file_root_missing',
    message: `capability '${key}' has no root; set capabilities.${key}.root in lait.config.yml`,
  });
}
