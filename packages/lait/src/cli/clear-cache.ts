import { cacheDirectory } from '../config/cache-directory.js';
import { ResponseCache } from '../models/response-cache.js';
import type { CommandContext } from './command-context.js';

/** `lait cache clear`: removes every cached reply and says how many there were. */
export async function clearCache({ json }: { json?: true }, context: CommandContext): Promise<void> {
  const directory = cacheDirectory(await context.variables());
  const removed = await new ResponseCache({ directory }).clear();
  if (json === true) await context.output.writeJson({ directory, removed });
  else await context.output.write(`removed ${removed} cached ${removed === 1 ? 'reply' : 'replies'}\n`);
}
