import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Configuration, emptyConfiguration } from '../../config/configuration.js';
import type { LintContext } from '../../config/lint-workflow.js';
import { DefinitionError } from '../../errors/errors.js';
import type { Services } from '../../kinds/services.js';
import type { RegisteredNames } from '../../plan/analysis/check-names.js';
import { readRegularFile } from '../../plan/read-source.js';
import type { CommandContext } from '../command-context.js';
import type { LintedFile } from './lint-file.js';

export interface ConfiguredLint {
  context: LintContext;
  /** The configuration of the directory, when it has problems: they are problems of the whole. */
  configurations: LintedFile[];
  /** True when a file used a name and there is no configuration to look it up in. */
  namesUnchecked(): boolean;
}

/** What the check of every file is handed; nothing is started. */
export async function lintContext(
  files: readonly string[],
  command: CommandContext,
): Promise<ConfiguredLint> {
  const { signal, secrets, workingDirectory } = command;
  const { configuration, broken } = await readConfiguration(command);
  const environment = { variables: await command.variables(), workingDirectory };
  const registered = configuration.files.length === 0 ? undefined : namesOf(configuration);
  let unchecked = false;
  let services: Promise<Services> | undefined;
  const paths = files.map((file) => realpath(file).catch(() => resolve(file)));
  return {
    configurations: [...broken, ...(await projectProblems(configuration, signal))],
    namesUnchecked: () => unchecked && broken.length === 0,
    context: {
      services: () => {
        services ??= import('../../config/build-services.js').then(({ buildServices }) =>
          buildServices({ configuration, environment, secrets, read: readRegularFile }).forRun(),
        );
        return services;
      },
      ...(registered === undefined ? {} : { registered }),
      workflows: Object.keys(configuration.values.workflows ?? {}),
      signal,
      checkedAnyway: new Set(await Promise.all(paths)),
      onUncheckedNames: () => {
        unchecked = true;
      },
    },
  };
}

async function readConfiguration(
  command: CommandContext,
): Promise<{ configuration: Configuration; broken: LintedFile[] }> {
  try {
    return { configuration: await command.configuration(), broken: [] };
  } catch (error) {
    command.signal.throwIfAborted();
    if (!(error instanceof DefinitionError)) throw error;
    const { diagnostics, message, code, sources = [] } = error;
    const file = diagnostics[0]?.position?.file ?? sources[0]?.file ?? 'configuration';
    const problems = diagnostics.length > 0 ? diagnostics : [{ code, severity: 'error' as const, message }];
    return { configuration: emptyConfiguration, broken: [{ file, diagnostics: problems, sources }] };
  }
}

/** What is wrong in the project's own file, or in the one that was named; the user's global file is not checked here. */
async function projectProblems({ project }: Configuration, signal: AbortSignal): Promise<LintedFile[]> {
  if (project === undefined) return [];
  const { file } = project;
  const { lintConfiguration } = await import('../../config/lint-configuration.js');
  const source = await readRegularFile(file, { signal });
  const diagnostics = await lintConfiguration(source);
  return diagnostics.length === 0 ? [] : [{ file, diagnostics, sources: [source] }];
}

function namesOf({ values }: Configuration): RegisteredNames {
  const names = (section: object | undefined) => new Set(Object.keys(section ?? {}));
  return {
    mcp_servers: names(values.mcp_servers),
    skills: names(values.skills),
    agents: names(values.agents),
    tools: names(values.tools),
  };
}
