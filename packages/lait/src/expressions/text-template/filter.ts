import { type CallArguments, isNumeric, isTrue, type TemplateValue, templateText } from './operations.js';
import { TemplateError } from './template-error.js';
import type { ValueSize } from './value-sizes.js';

/** What a filter may use of the interpreter. */
export interface FilterTools {
  /** Counts work against the template's budget. */
  spend(steps: number): void;
  /** Throws a `TemplateError` for a value that is too large. */
  size(value: TemplateValue): ValueSize;
  test(name: string, value: TemplateValue, argument: TemplateValue): boolean;
  filter(name: string, value: TemplateValue, call: CallArguments): TemplateValue;
}

export type Filter = (value: TemplateValue, call: CallArguments, tools: FilterTools) => TemplateValue;

/** The argument at a position or with a name. */
export function argument(call: CallArguments, at: number, name: string): TemplateValue | undefined {
  return call.named.has(name) ? call.named.get(name) : call.positional[at];
}

export function textArgument(call: CallArguments, at: number, name: string, fallback: string): string {
  const value = argument(call, at, name);
  return value === undefined || value === null ? fallback : templateText(value);
}

export function numberArgument(call: CallArguments, at: number, name: string, fallback: number): number {
  const value = argument(call, at, name);
  if (value === undefined || value === null) return fallback;
  if (!isNumeric(value)) throw new TemplateError(`argument '${name}' must be a number`);
  return Number(value);
}

export function flagArgument(call: CallArguments, at: number, name: string, fallback: boolean): boolean {
  const value = argument(call, at, name);
  return value === undefined ? fallback : isTrue(value);
}
