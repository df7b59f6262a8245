import { isAbsolute, relative } from 'node:path';
import { messageChain } from '../errors/lait-error.js';
import { readRegularFile } from '../plan/read-source.js';
import { preview } from '../values/printable.js';
import type { CommandContext } from './command-context.js';
import { tableText } from './print-table.js';

export type RegisteredSection = 'workflows' | 'agents' | 'skills' | 'prompts';

type Describe = (name: string, path: string, signal: AbortSignal) => Promise<string | undefined>;

/** How the description of a registered file is read. */
export const describers: Readonly<Record<RegisteredSection, Describe>> = {
  workflows: async (_, path, signal) => {
    const { planOfFile } = await import('../config/load-plan.js');
    return (await planOfFile(path, { signal, read: readRegularFile })).description;
  },
  agents: async (_, path, signal) => {
    const { readAgentFile } = await import('../dialects/steps/read-agent-file.js');
    return (await readAgentFile(path, { signal, pipes: false })).description;
  },
  prompts: async (_, path, signal) => {
    const { readTextFile } = await import('../files/read-file.js');
    return (await readTextFile(path, { signal, pipes: false }))
      .split('\n')
      .find((line) => line.trim() !== '');
  },
  skills: async (name, path, signal) => {
    const { readSkill } = await import('../tools/skill.js');
    return (await readSkill(name, path, { signal, pipes: false })).description;
  },
};

/**
 * Lists the entries of a section with path and description. Entries that cannot be read are listed, too, with a
 * warning. Source: facts §1.3.
 */
export async function listRegistered(
  section: RegisteredSection,
  { json }: { json?: true },
  context: CommandContext,
): Promise<undefined> {
  const { output, signal, workingDirectory } = context;
  const configuration = await context.configuration();
  const entries: { name: string; path: string; description: string | null }[] = [];
  for (const [name, path] of Object.entries(configuration.values[section] ?? {})) {
    let description: string | undefined;
    try {
      description = await describers[section](name, path, signal);
    } catch (error) {
      signal.throwIfAborted();
      output.warning(`${section}: '${name}': ${messageChain(error)}`);
    }
    entries.push({ name, path: shown(path, workingDirectory), description: description ?? null });
  }
  if (json === true) {
    await output.writeJson(entries);
    return;
  }
  if (entries.length === 0)
    output.note(`no ${section} are registered; name them under ${section}: of lait.config.yml`);
  await output.write(
    tableText(
      entries.map(({ name, path, description }) => [
        preview(name),
        preview(path),
        preview(description ?? ''),
      ]),
    ),
  );
}

function shown(path: string, workingDirectory: string): string {
  const name = relative(workingDirectory, path);
  return name === '' || name.startsWith('..') || isAbsolute(name) ? path : name;
}
