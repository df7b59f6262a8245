import { availableParallelism, loadavg } from 'node:os';

/** What else the machine did while something was measured: times are worth as much as it was idle. */
export function machineLoad() {
  const load = loadavg().map((value) => value.toFixed(1));
  return `Load of the machine at the end: ${load.join(' / ')} (1, 5, 15 minutes) on ${availableParallelism()} processors.`;
}
