import type { z } from 'zod';
import { type RequestProblem, unprocessable } from './problem.js';

/** The value as the schema gives it back. Throws an `HttpProblem` (422 `request_invalid`) with every problem. */
export function checkPart<T>(schema: z.ZodType<T>, value: unknown, part: RequestProblem['in']): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.map(
    (issue): RequestProblem => ({
      in: part,
      path: issue.path.map(String).join('.'),
      message: messageOf(issue),
    }),
  );
  const [first] = errors;
  const where = first?.path === '' ? part : `${part} ${first?.path}`;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  throw unprocessable('request_invalid', `${where}: ${first?.message}${more}`, errors);
}

/** Of a value that may be of several types the library does not say which. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.expected === 'nonoptional') {
    return 'Invalid input: expected a value, received undefined';
  }
  if (issue.code !== 'invalid_union') return issue.message;
  const wanted = issue.errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []));
  return wanted.length === 0
    ? issue.message
    : `${issue.message}: expected ${[...new Set(wanted)].join(' or ')}`;
}
