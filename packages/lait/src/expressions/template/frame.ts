import type { Value } from '../../values/value.js';
import type { Scope } from '../scope.js';

/** Where a part of a template is being rendered: the context that `this` means, and what encloses it. */
export interface Frame {
  readonly scope: Scope;
  readonly work: Work;
  /** At the root the names are those of the scope, and `context` is unused. */
  readonly root: boolean;
  /** The value of `this`. */
  readonly context: Value;
  /** What `../` leads to; undefined at the root. */
  readonly parent: Frame | undefined;
  /** The frame of the block around this one: where its block parameters are. */
  readonly outer: Frame | undefined;
  readonly data: IterationData | undefined;
  /** Values of `as |item index|`. */
  readonly blockParameters: readonly Value[];
}

/** `@index`, `@key`, `@first`, `@last` of the innermost iteration. */
export interface IterationData {
  readonly index: number;
  readonly key: string | number;
  readonly first: boolean;
  readonly last: boolean;
  readonly parent: IterationData | undefined;
}

/** What one rendering may still do: nested iterations over large data must end. */
export interface Work {
  iterationsLeft: number;
  charactersLeft: number;
}

/** Renders a part of a template. */
export type Render = (frame: Frame) => string;

/** Evaluates an argument; `undefined` means that it is missing. */
export type Evaluate = (frame: Frame) => Value;
