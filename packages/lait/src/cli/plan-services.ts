import { buildServices } from '../config/build-services.js';
import type { Services } from '../kinds/services.js';
import type { SpendingLimits } from '../plan/spending-limits.js';
import type { CommandContext } from './command-context.js';

/** Services for commands that look at workflows and run nothing: what they resolve and read comes from them. */
export async function planServices(context: CommandContext, limits?: SpendingLimits): Promise<Services> {
  const { secrets, workingDirectory } = context;
  const configuration = await context.configuration();
  const environment = { variables: await context.variables(), workingDirectory };
  return buildServices({ configuration, environment, secrets, limits }).forRun();
}
