import { messageChain } from '../errors/lait-error.js';
import { preview } from '../values/printable.js';
import { SecretRegistry } from '../values/secrets.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { Interrupts } from './interrupts.js';
import { Output } from './output.js';
import { runCommandLine } from './run-command-line.js';

/**
 * The command line: runs `argv` (without node and script) and ends the process with its exit code. Never throws.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const secrets = new SecretRegistry();
  const exit = (code: ExitCode) => process.exit(code);
  const interrupts = new Interrupts({
    onInterrupt: () => {
      if (!output.broken) output.line('\nlait: interrupted; stopping (Ctrl-C again quits at once)');
    },
    exit: () => exit(output.broken ? exitCodes.ok : exitCodes.cancelled),
  });
  const output = new Output(
    process.stdout,
    process.stderr,
    (text) => secrets.mask(text),
    () => interrupts.interrupt(),
  );
  process.on('uncaughtException', (error) => {
    output.line(`lait: unexpected error: ${preview(messageChain(error), 1000)}`);
    exit(exitCodes.failed);
  });
  const code = await runCommandLine(argv, { output, signal: interrupts.signal, secrets });
  await output.flush();
  exit(output.broken ? exitCodes.ok : code);
}
