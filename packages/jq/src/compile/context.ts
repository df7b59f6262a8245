import type { JsonValue } from '../values/json.js';
import { Fatal } from '../values/raise.js';
import type { Globals } from './globals.js';

/** Receives places where a number of the data lost digits because doubles hold 53 bits. */
export type PrecisionLossHook = (literal: string) => void;

/** Values that are gone through for one step. */
const visitsOfStep = 16;
/** Visits that are charged together, so that small values cost nothing but the counting. */
const visitsTogether = 1024;

/** What one run shares: the step budget, native depth and global variables. */
export class Context {
  /** Levels of native recursion in use; see `nativeDepthLimit`. */
  depth = 0;
  private visits = 0;

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

  /** Charges a look through a text or a comparison of it: a few hundred characters cost what a step does. */
  chargeText(characters: number): void {
    this.charge(characters >>> 8);
  }

  /**
   * Charges a walk through the values of a container, to compare or to write them. Values share their parts: one that
   * was made in a few dozen steps can be endless for whatever goes through it.
   */
  chargeVisits(values: number): void {
    this.visits += values + 1;
    if (this.visits < visitsTogether) return;
    this.charge(this.visits / visitsOfStep);
    this.visits = 0;
  }

  private exhausted(): never {
    throw new Fatal('budget_exceeded', 'The evaluation needs more steps than its budget allows');
  }
}
