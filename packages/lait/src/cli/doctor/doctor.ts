import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { checkConfigurationFile } from './check-configuration.js';
import { checkFiles } from './check-files.js';
import { checkModels } from './check-models.js';
import { checkTools } from './check-tools.js';
import { type Finding, findingText } from './finding.js';

/** `lait doctor`: looks at everything a run may need and says what to do about what is missing. Source: facts §1.3. */
export async function doctor({ json }: { json?: true }, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  const findings: Finding[] = [];
  const report = async (finding: Finding) => {
    findings.push(finding);
    if (json !== true) await output.write(context.secrets.mask(findingText(finding)));
  };
  await report({ status: 'ok', subject: 'node', message: `Node.js ${process.versions.node}` });
  const configuration = await checkConfigurationFile(context, report);
  if (configuration !== undefined) {
    await checkModels(configuration, context, report);
    await checkTools(configuration, context, report);
    await checkFiles(configuration, context, report);
  }
  const ok = findings.every(({ status }) => status !== 'ng');
  if (json === true)
    await output.writeJson(
      context.secrets.maskValue({ ok, findings: findings.map((finding) => ({ ...finding })) }),
    );
  return ok ? exitCodes.ok : exitCodes.failed;
}
