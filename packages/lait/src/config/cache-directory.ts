import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Variables } from './environment.js';

/** Where cached model replies are kept: `$XDG_CACHE_HOME/lait/responses`, or below `~/.cache`. */
export function cacheDirectory(variables: Variables): string {
  const base = variables.XDG_CACHE_HOME;
  const root = base !== undefined && isAbsolute(base) ? base : join(variables.HOME || homedir(), '.cache');
  return join(root, 'lait', 'responses');
}
