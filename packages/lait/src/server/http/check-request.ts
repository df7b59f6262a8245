import type { z } from 'zod';
import { type RequestProblem, unprocessable } from './problem.js';

/** The value as the schema gives it back. Throws an `HttpProblem` (422 `request_invalid`) with every problem. */
export function checkPart<T>(schema: z.ZodType<T>, value: unknown, part: RequestProblem['in']): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = result.error.issues.map(
    ({ path, message }): RequestProblem => ({ in: part, path: path.map(String).join('.'), message }),
  );
  const [first] = errors;
  const where = first?.path === '' ? part : `${part} ${first?.path}`;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  throw unprocessable('request_invalid', `${where}: ${first?.message}${more}`, errors);
}
