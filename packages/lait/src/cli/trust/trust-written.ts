import { configurationFileName } from '../../config/find-configuration.js';
import { loadConfiguration } from '../../config/load-configuration.js';
import { powersOf } from '../../config/powers.js';
import type { CommandContext } from '../command-context.js';
import { digestOf, TrustStore } from './trust-store.js';

/**
 * Trusts the configuration that lait itself has just written into a directory: nobody needs to be asked about it. Where
 * trust cannot be kept, the user is asked later.
 */
export async function trustWritten(directory: string, { inherited, signal }: CommandContext): Promise<void> {
  try {
    const { project } = await loadConfiguration({
      workingDirectory: directory,
      variables: inherited,
      file: configurationFileName,
      signal,
    });
    const powers = powersOf(project!.values);
    if (powers.length > 0) await new TrustStore(inherited).add('trusted', project!.file, digestOf(powers));
  } catch {
    signal.throwIfAborted();
  }
}
