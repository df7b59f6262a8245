import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { unreadable } from '../files/read-file.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import { Problems } from '../plan/problems.js';
import type { SourceFile } from '../plan/source.js';
import { nodeAt } from '../plan/yaml/node-at.js';
import { readYaml } from '../plan/yaml/read-yaml.js';
import { checkConfiguration } from './read-configuration.js';

/**
 * Everything that lint says about a configuration file: what its reader refuses, entries that lead nowhere (errors),
 * and servers none of whose tools may be called (warnings). Source: steps facts §17.
 */
export async function lintConfiguration(source: SourceFile): Promise<Diagnostic[]> {
  const directory = dirname(resolve(source.file));
  const { values, problems } = checkConfiguration(source, directory);
  if (values === undefined) return problems.list();
  const root = readYaml(new Problems(source));
  const rangeOf = (...path: string[]) => (root === undefined ? undefined : nodeAt(root, path).range);
  for (const section of ['workflows', 'agents', 'skills', 'prompts'] as const) {
    for (const [name, path] of Object.entries(values[section] ?? {})) {
      try {
        await access(path, constants.R_OK);
      } catch (error) {
        problems.add({
          code: 'unreadable_entry',
          message: `${section}.${name}: ${unreadable(path, error).message}`,
          range: rangeOf(section, name),
        });
      }
    }
  }
  for (const [name, { allowed_tools: allowed }] of Object.entries(values.mcp_servers ?? {})) {
    if (allowed?.length !== 0) continue;
    problems.add({
      code: 'empty_allowed_tools',
      severity: 'warning',
      message: `mcp_servers.${name}: allowed_tools is empty, so that none of its tools may be called`,
      range: rangeOf('mcp_servers', name, 'allowed_tools'),
    });
  }
  return problems.list();
}
