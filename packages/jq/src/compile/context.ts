import type { JsonValue } from '../values/json.js';
import { Fatal } from '../values/raise.js';
import type { Globals } from './globals.js';

/** Receives places where a number of the data lost digits because doubles hold 53 bits. */
export type PrecisionLossHook = (literal: string) => void;

/** What one run shares: the step budget, native depth and global variables. */
export class Context {
  /** Levels of native recursion in use; see `nativeDepthLimit`. */
  depth = 0;

  constructor(
    private steps: number,
    readonly globals: Globals,
    readonly onPrecisionLoss: PrecisionLossHook | undefined,
    readonly onDebug: ((message: JsonValue) => void) | undefined,
  ) {}

  /** Takes `count` steps from the budget. */
  charge(count: number): void {
    this.steps -= count;
    if (this.steps < 0) this.exhausted();
  }

  /** Takes one step. */
  step(): void {
    if (--this.steps < 0) this.exhausted();
  }

  /** Charges a shallow copy; copying an element is much cheaper than a step. */
  chargeCopies(elements: number): void {
    this.charge(1 + (elements >>> 2));
  }

  private exhausted(): never {
    throw new Fatal('budget_exceeded', 'The evaluation needs more steps than its budget allows');
  }
}
