import type { Configuration } from '../../config/configuration.js';
import { DefinitionError } from '../../errors/errors.js';
import { messageChain } from '../../errors/lait-error.js';
import { sentence } from '../../plan/format-diagnostics.js';
import type { CommandContext } from '../command-context.js';
import type { Report } from './finding.js';

/** Whether `.env` and the configuration can be read; the configuration when they can. */
export async function checkConfigurationFile(
  context: CommandContext,
  report: Report,
): Promise<Configuration | undefined> {
  try {
    const configuration = await context.trustedConfiguration();
    if (configuration.files.length === 0) {
      await report({
        status: 'warn',
        subject: 'configuration',
        message: 'there is no lait.config.yml here or above, and no global one',
        hint: '`lait init` writes one to start from',
      });
    }
    for (const file of configuration.files)
      await report({ status: 'ok', subject: 'configuration', message: file });
    return configuration;
  } catch (error) {
    context.signal.throwIfAborted();
    await report({ status: 'ng', subject: 'configuration', message: messageChain(error) });
    for (const diagnostic of error instanceof DefinitionError ? error.diagnostics : []) {
      const { position, hint } = diagnostic;
      await report({
        status: 'ng',
        subject:
          position === undefined ? 'configuration' : `${position.file}:${position.line}:${position.column}`,
        message: sentence(diagnostic),
        ...(hint === undefined ? {} : { hint }),
      });
    }
    return undefined;
  }
}
