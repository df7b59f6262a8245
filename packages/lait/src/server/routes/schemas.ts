import { z } from 'zod';
import { forms } from '../../dialects/index.js';
import { runStatuses } from '../../runs/run-status.js';
import { isPlainText } from '../http/plain-text.js';

/** Ids and names from outside: any text without control characters. They never become paths. */
const idText = z.string().min(1).max(200).refine(isPlainText, 'must not hold control characters');

export const id = idText;
export const form = z.enum(forms).describe('The form that a workflow is written in.');
export const runStatus = z.enum(runStatuses as [string, ...string[]]).describe('Where a run stands.');
export const time = z.iso.datetime({ offset: true }).describe('ISO 8601 time.');
/** Any JSON value. */
export const json = z.unknown();
export const jsonObject = z.record(z.string(), z.unknown());

/** A number in a query. */
export function count(fallback: number, most: number) {
  return z.coerce.number().int().min(1).max(most).default(fallback);
}

/** Several values in one query parameter, separated by commas. */
export function listOf<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(item));
}

export const cursor = z
  .string()
  .max(1000)
  .describe('`next_cursor` of the page before: the list goes on behind it, whatever was added meanwhile.');

export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
