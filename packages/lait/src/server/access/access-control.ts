import { HttpProblem } from '../http/problem.js';
import { HostCheck } from '../mcp/host-check.js';
import type { Audit } from './audit.js';
import { RateLimiter } from './rate-limiter.js';
import { type Actor, hasScope, localActor, type Scope } from './scopes.js';
import type { TokenService } from './token-service.js';

export interface AccessOptions {
  /** Address that is listened on. */
  host: string;
  allowedHosts: readonly string[];
  /** Whether programs of this machine need no token; only ever on a loopback address, never through a proxy. */
  trustLocal: boolean;
  rateLimit: { perSecond: number; burst: number };
  tokens: TokenService;
  audit: Audit;
}

/** Wrong tokens are counted apart, so that nobody can try many. */
const failureLimit = { perSecond: 0.5, burst: 10 };

/**
 * Who may do what. Requests that were not meant for this server are refused before anything is read of them: a page of
 * another site cannot reach it through a name that leads here, or with a form.
 */
export class AccessControl {
  readonly #hosts: HostCheck;
  /** The names by which programs of this machine call the server. */
  readonly #localHosts: HostCheck;
  readonly #requests: RateLimiter;
  readonly #failures = new RateLimiter(failureLimit);

  constructor(private readonly options: AccessOptions) {
    this.#hosts = new HostCheck(options.host, options.allowedHosts);
    this.#localHosts = new HostCheck(options.host);
    this.#requests = new RateLimiter(options.rateLimit);
  }

  /** Throws an `HttpProblem` (403 `host_refused`, `origin_refused`). */
  checkOrigin(headers: Headers): void {
    const host = headers.get('host') ?? undefined;
    if (!this.#hosts.allowsHost(host))
      throw refused('host_refused', `the host '${host ?? ''}' is not served here; see --allowed-host`);
    const origin = headers.get('origin') ?? undefined;
    if (!this.#hosts.allowsOrigin(origin) || headers.get('sec-fetch-site') === 'cross-site')
      throw refused('origin_refused', 'pages of other sites may not call this server; see --allowed-host');
  }

  /** Who sends the request. Throws an `HttpProblem`: 401 `token_missing`, `token_invalid`, 429 `rate_limited`. */
  async authenticate(headers: Headers, address: string): Promise<Actor> {
    const header = headers.get('authorization');
    const actor = header === null ? this.#local(headers, address) : await this.#bearer(header, address);
    this.#limit(this.#requests, actor === localActor ? address : actor.id);
    return actor;
  }

  /** For what needs no token: throws an `HttpProblem` (429 `rate_limited`). */
  limitAnonymous(address: string): void {
    this.#limit(this.#requests, address);
  }

  /** Throws an `HttpProblem` (403 `scope_missing`). */
  async authorize(actor: Actor, scope: Scope, operation: string): Promise<void> {
    if (hasScope(actor, scope)) return;
    await this.options.audit.record(actor, 'access.refused', operation, { scope });
    throw new HttpProblem({
      status: 403,
      code: 'scope_missing',
      detail: `the token '${actor.name}' may not do this: it needs the scope '${scope}'`,
      members: { scope },
    });
  }

  #local(headers: Headers, address: string): Actor {
    // What a proxy on this machine passes on comes from here, but not from a program of this machine.
    const isDirect =
      isLoopbackAddress(address) &&
      this.#localHosts.allowsHost(headers.get('host') ?? undefined) &&
      !forwardingHeaders.some((name) => headers.has(name));
    if (this.options.trustLocal && isDirect) return localActor;
    throw unauthorized(
      'token_missing',
      'a token is needed: authorization: Bearer <token>; see `lait tokens`',
    );
  }

  async #bearer(header: string, address: string): Promise<Actor> {
    const token = /^Bearer ([\w~+/.=-]{1,500})$/i.exec(header)?.[1];
    const actor = token === undefined ? undefined : await this.options.tokens.actorOf(token);
    if (actor !== undefined) return actor;
    this.#limit(this.#failures, address);
    throw unauthorized('token_invalid', 'the token is unknown, revoked or past its time');
  }

  #limit(limiter: RateLimiter, caller: string): void {
    const wait = limiter.take(caller);
    if (wait === 0) return;
    throw new HttpProblem({
      status: 429,
      code: 'rate_limited',
      detail: `too many requests; try again in ${wait} s`,
      headers: { 'retry-after': String(wait) },
    });
  }
}

/** What a proxy says of its clients. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function refused(code: string, detail: string): HttpProblem {
  return new HttpProblem({ status: 403, code, detail });
}

function unauthorized(code: string, detail: string): HttpProblem {
  return new HttpProblem({ status: 401, code, detail, headers: { 'www-authenticate': 'Bearer' } });
}
