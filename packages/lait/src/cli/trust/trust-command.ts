import type { CommandContext } from '../command-context.js';
import { listed, powersOfProject } from './require-trust.js';
import { digestOf, TrustStore } from './trust-store.js';

/** `lait trust`: shows what the configuration of this directory may do, and records or revokes that it is trusted. */
export async function trustCommand(
  { show, revoke }: { show?: true; revoke?: true },
  context: CommandContext,
): Promise<undefined> {
  const { output, inherited } = context;
  const store = new TrustStore(inherited);
  const configuration = await context.configuration();
  const project = await powersOfProject(configuration, context);
  const path = project?.path ?? configuration.project?.file;
  if (revoke === true) {
    const removed = path !== undefined && (await store.remove(path));
    output.note(removed ? `${path} is not trusted any more` : 'nothing here was trusted');
    return;
  }
  if (project === undefined) {
    output.note(
      path === undefined
        ? 'there is no configuration of a project here'
        : `${path} runs nothing and talks to no other machine`,
    );
    return;
  }
  await output.write(`${listed(project.powers)}\n`);
  const digest = digestOf(project.powers);
  if (show === true) {
    const trusted = await store.has('trusted', project.path, digest);
    output.note(`${project.path} is ${trusted ? '' : 'not '}trusted`);
    return;
  }
  await store.add('trusted', project.path, digest);
  output.note(`${project.path} is trusted with this, and with nothing more`);
}
