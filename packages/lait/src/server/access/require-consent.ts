import { HttpProblem } from '../http/problem.js';
import { type Actor, hasScope } from './scopes.js';

/** Whoever passes over a person's consent must be one who may give it. Throws an `HttpProblem` (403). */
export function requireConsent(actor: Actor, skipApproval: boolean | undefined): void {
  if (skipApproval !== true || hasScope(actor, 'answer')) return;
  throw new HttpProblem({
    status: 403,
    code: 'scope_missing',
    detail: 'skip_approval needs the scope `answer`',
    members: { scope: 'answer' },
  });
}
