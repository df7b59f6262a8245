import type { Configuration } from '../../config/configuration.js';
import { messageChain } from '../../errors/lait-error.js';
import type { CommandContext } from '../command-context.js';
import { describers, type RegisteredSection } from '../list-registered.js';
import type { Report } from './finding.js';

/** Reads every registered workflow, agent and skill. */
export async function checkFiles(
  { values }: Configuration,
  { signal }: CommandContext,
  report: Report,
): Promise<void> {
  for (const section of Object.keys(describers) as RegisteredSection[]) {
    for (const [name, path] of Object.entries(values[section] ?? {})) {
      const subject = `${section}.${name}`;
      try {
        await describers[section](name, path, signal);
        await report({ status: 'ok', subject, message: path });
      } catch (error) {
        signal.throwIfAborted();
        await report({
          status: 'ng',
          subject,
          message: messageChain(error),
          hint: `\`lait lint ${path}\` says more`,
        });
      }
    }
  }
}
