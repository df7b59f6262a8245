import type { Configuration } from '../../config/configuration.js';
import type { CommandContext } from '../command-context.js';
import { describers, type RegisteredSection } from '../list-registered.js';
import { type Report, reportCheck } from './finding.js';

/** Reads every registered workflow, agent and skill. */
export async function checkFiles(
  { values }: Configuration,
  { signal }: CommandContext,
  report: Report,
): Promise<void> {
  for (const section of Object.keys(describers) as RegisteredSection[]) {
    for (const [name, path] of Object.entries(values[section] ?? {})) {
      const about = { subject: `${section}.${name}`, hint: `\`lait lint ${path}\` says more` };
      const check = () => describers[section](name, path, signal).then(() => path);
      await reportCheck(about, check, report, signal);
    }
  }
}
