import { HttpProblem } from '../http/problem.js';
import { type Actor, hasScope, type Scope } from './scopes.js';

/** Whoever passes over a person's consent must be one who may give it. Throws an `HttpProblem` (403). */
export function requireConsent(actor: Actor, skipApproval: boolean | undefined): void {
  if (skipApproval === true) requireScope(actor, 'answer', 'skip_approval');
}

/** A part of a request may ask for more than its route does. Throws an `HttpProblem` (403). */
export function requireScope(actor: Actor, scope: Scope, part: string): void {
  if (hasScope(actor, scope)) return;
  throw new HttpProblem({
    status: 403,
    code: 'scope_missing',
    detail: `${part} needs the scope \`${scope}\``,
    members: { scope },
  });
}
