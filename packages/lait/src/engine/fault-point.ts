/** Places at which a process may die or a disk may fill: between any two things that must hold together. */
export const faultPoints = [
  'effect.before-started',
  'effect.after-started',
  'effect.before-outcome',
  'effect.after-outcome',
  'question.after-recorded',
  'run.before-created',
  'run.after-created',
  'run.after-claimed',
  'run.after-running',
  'run.before-ended',
  'run.after-ended',
  'run.after-answered',
  'database.before-commit',
  'database.after-commit',
  'file.before-write',
  'file.before-flush',
  'file.after-flush',
  'snapshot.before-rename',
  'snapshot.after-rename',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

let handler: ((name: FaultPoint) => void) | undefined;

/** Says what happens at fault points: tests kill the process there, or throw what a full disk would. Default: nothing. */
export function onFaultPoint(happens: ((name: FaultPoint) => void) | undefined): void {
  handler = happens;
}

/** Marks a place at which the process may end. */
export function faultPoint(name: FaultPoint): void {
  handler?.(name);
}
