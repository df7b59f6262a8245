import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Variables } from '../config/environment.js';

/** `$XDG_STATE_HOME/lait`, or below `~/.local/state`: what lait remembers of its user. */
export function stateDirectory(variables: Variables): string {
  const base = variables.XDG_STATE_HOME;
  const root =
    base !== undefined && isAbsolute(base) ? base : join(variables.HOME || homedir(), '.local', 'state');
  return join(root, 'lait');
}
