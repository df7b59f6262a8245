import { join } from 'node:path';
import type { Configuration } from '../../config/configuration.js';
import { type Power, powersOf, powersOfVariables } from '../../config/powers.js';
import { UsageError } from '../../errors/errors.js';
import { printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import { Terminal } from '../terminal.js';
import { digestOf, TrustStore } from './trust-store.js';

/** A configuration of a project, and what it may do. */
export interface Untrusted {
  /** The file that stands for it. */
  path: string;
  powers: readonly Power[];
}

/** What a project's configuration and `.env` may do; without them, and without power, nothing needs trust. */
export async function powersOfProject(
  { project }: Configuration,
  context: CommandContext,
): Promise<Untrusted | undefined> {
  const variables = await context.variables();
  const added = Object.keys(variables).filter((name) => !Object.hasOwn(context.inherited, name));
  const powers = [...powersOfVariables(added), ...(project === undefined ? [] : powersOf(project.values))];
  if (powers.length === 0) return undefined;
  return { path: project?.file ?? join(context.workingDirectory, '.env'), powers };
}

/**
 * Makes sure that the user wants what a project's configuration may execute, before any of it happens: trusted are
 * configurations that were recorded as such with exactly these powers, and all with `--trust`, `LAIT_TRUST` or `trust:
 * always` of the user's own file. Others are asked about on a terminal; without one they are warned of once, or refused
 * with `trust: never`. Throws a `UsageError` (code `untrusted`). See docs/security.md.
 */
export async function requireTrust(configuration: Configuration, context: CommandContext): Promise<void> {
  const { inherited, options, output } = context;
  const policy = configuration.trust ?? 'ask';
  if (options.trust || isSet(inherited.LAIT_TRUST) || policy === 'always') return;
  const project = await powersOfProject(configuration, context);
  if (project === undefined) return;
  const { path, powers } = project;
  const digest = digestOf(powers);
  const store = new TrustStore(inherited);
  if (await store.has('trusted', path, digest)) return;
  if (policy === 'never') throw untrusted(path);
  // The question must be seen: the answer to another one would be taken for it.
  const terminal = new Terminal({ input: process.stdin, output, attended: !isSet(inherited.CI) });
  if (terminal.available && process.stderr.isTTY === true) {
    if (await ask(terminal, project, context)) await store.add('trusted', path, digest);
    return;
  }
  if (await store.has('warned', path, digest)) return;
  output.warning(
    `${printable(path)} was never trusted and ${summary(powers)}; \`lait trust\` shows and trusts it, LAIT_TRUST=1 silences this`,
  );
  await store.add('warned', path, digest).catch(() => {});
}

/** True when the trust is to be kept. */
async function ask(
  terminal: Terminal,
  { path, powers }: Untrusted,
  { signal }: CommandContext,
): Promise<boolean> {
  const text = `${path} is used for the first time, or may do more than before:\n${listed(powers)}\nTrust it? yes keeps the answer, once does not.`;
  for (;;) {
    const answer = (await terminal.answer({ type: 'select', text, choices: ['yes', 'once', 'no'] }, signal))
      .trim()
      .toLowerCase();
    if (answer === 'y' || answer === 'yes') return true;
    if (answer === 'o' || answer === 'once') return false;
    if (answer === 'n' || answer === 'no') throw untrusted(path);
  }
}

/** The powers for people, a line each. */
export function listed(powers: readonly Power[]): string {
  return powers.map(({ place, does }) => printable(`  ${place}: ${does}`)).join('\n');
}

function summary(powers: readonly Power[]): string {
  const [first, ...others] = powers;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return printable(`${first!.does} (${first!.place}${more})`);
}

function untrusted(path: string): UsageError {
  return new UsageError({
    code: 'untrusted',
    message: `${path} is not trusted: look at it with \`lait trust --show\`, then \`lait trust\`, or --trust for this once`,
  });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}
