/** What a token may be used for; `admin` includes the others. */
export const scopes = ['read', 'run', 'write', 'answer', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** What the scopes allow, for help and documentation. */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  read: 'look at everything',
  run: 'start, cancel, resume and repeat runs',
  write: 'change definitions, schedules and webhooks',
  answer: 'answer questions, approve runs and decide about calls',
  admin: 'all of it, and tokens, audit events and metrics',
};

/** Who sends a request. */
export interface Actor {
  /** A token's id, or `local` for programs of this machine. */
  id: string;
  name: string;
  scopes: readonly Scope[];
}

/** Programs of this machine, where no token is asked for. */
export const localActor: Actor = { id: 'local', name: 'local', scopes: ['admin'] };

/** True when the actor has the scope, or `admin`. */
export function hasScope(actor: Actor, scope: Scope): boolean {
  return actor.scopes.includes(scope) || actor.scopes.includes('admin');
}
