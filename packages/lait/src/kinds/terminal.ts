import type { Kind } from './kind.js';

interface TerminalFields {
  outcome: 'success' | 'failure';
}

/** The end of a graph; the value is what the node before it gave. Source: graph seed, terminal Node. */
export const terminalKind: Kind<TerminalFields> = {
  name: 'terminal',
  shape: 'terminal',
  description: 'Ends the run with success or failure.',
  effects: 'none',
  ends: 'workflow',
  execute: ({ outcome }, { input }) => ({ value: input, control: 'stop', outcome }),
};
