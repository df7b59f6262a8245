import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { AccessControl } from '../access/access-control.js';
import { localActor } from '../access/scopes.js';
import type { ServerContext } from '../server-context.js';
import { checkPart } from './check-request.js';
import { isPlainText } from './plain-text.js';
import { HttpProblem, notFound, unprocessable } from './problem.js';
import { problemOf } from './problem-of.js';
import { parseJson, readBody, requireMediaType } from './read-body.js';
import type { Route, RouteAnswer, RouteGroup, RouteRequest } from './route.js';
import { textResponse } from './text-response.js';

type Bindings = { Bindings: HttpBindings; Variables: { requestId: string; operation: string } };
export type ServerApplication = Hono<Bindings>;

export interface ServerApplicationOptions {
  server: ServerContext;
  access: AccessControl;
  groups: readonly RouteGroup[];
}

/** The HTTP application: every route of every group, with access, limits, checks, errors, logs and metrics around it. */
export function createServerApplication({
  server,
  access,
  groups,
}: ServerApplicationOptions): ServerApplication {
  const application: ServerApplication = new Hono<Bindings>({ strict: false });
  const groupOf = (path: string) =>
    groups
      .filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
      .sort((a, b) => b.prefix.length - a.prefix.length)[0];

  application.use(async (context, next) => {
    const requestId = randomUUID();
    context.set('requestId', requestId);
    context.set('operation', 'none');
    const begin = performance.now();
    await next();
    const operation = context.get('operation');
    const { status } = context.res;
    const milliseconds = performance.now() - begin;
    // Not by the context, which would make a new response for each of them.
    const { headers } = context.res;
    headers.set('x-request-id', requestId);
    headers.set('x-content-type-options', 'nosniff');
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    server.metrics.request(operation, status, milliseconds / 1000);
    server.logger.info(
      {
        request_id: requestId,
        method: context.req.method,
        path: server.secrets.mask(context.req.path),
        operation,
        status,
        milliseconds: Math.round(milliseconds * 10) / 10,
      },
      'request',
    );
  });
  application.use(async (context, next) => {
    access.checkOrigin(context.req.raw.headers);
    await next();
  });

  const allowed = new Map<string, Set<string>>();
  for (const { prefix, routes } of inOrder(groups)) {
    for (const route of routes) {
      const path = `${prefix}${route.path}`.replaceAll(/\{(\w+)\}/g, ':$1');
      allowed.set(path, (allowed.get(path) ?? new Set()).add(route.method.toUpperCase()));
      application.on(route.method.toUpperCase(), path, (context) => serve(route, context, server, access));
    }
  }
  for (const [path, methods] of allowed) {
    application.all(path, () => {
      const allow = [...methods].join(', ');
      throw new HttpProblem({
        status: 405,
        code: 'method_not_allowed',
        detail: `only ${allow} is served here`,
        headers: { allow },
      });
    });
  }

  application.notFound((context) => failure(noRoute(context.req.path), context));
  application.onError((error, context) => failure(error, context));
  return application;

  function failure(error: unknown, context: Context<Bindings>): Response {
    const problem = problemOf(error);
    if (problem.status >= 500)
      server.logger.error(
        { request_id: context.get('requestId'), err: loggable(error, server) },
        'request failed',
      );
    const { body, contentType, status } = groupOf(context.req.path)?.errorBody?.(problem) ?? {
      body: { ...problem.document(), instance: `urn:uuid:${context.get('requestId')}` },
    };
    return new Response(server.secrets.mask(JSON.stringify(body)), {
      status: status ?? problem.status,
      headers: { 'content-type': contentType ?? 'application/problem+json', ...problem.headers },
    });
  }
}

/** Whoever only knows where the server is learns what it serves. */
function noRoute(path: string): HttpProblem {
  const { status, code, message } = notFound('route', path);
  const detail = `${message}; GET /v1/openapi.json tells what there is`;
  return new HttpProblem({ status, code, detail });
}

/** Fixed words come before parameters, so that `/runs/inbox` is not taken for a run. */
function inOrder(groups: readonly RouteGroup[]): RouteGroup[] {
  const parameters = ({ path }: Route) => path.replaceAll(/\{\w+\}/g, '~');
  return [...groups]
    .sort((a, b) => b.prefix.length - a.prefix.length)
    .map((group) => ({
      ...group,
      routes: [...group.routes].sort((a, b) => (parameters(a) < parameters(b) ? -1 : 1)),
    }));
}

async function serve(
  route: Route,
  context: Context<Bindings>,
  server: ServerContext,
  access: AccessControl,
): Promise<Response> {
  context.set('operation', route.operation);
  const { raw } = context.req;
  const { headers } = raw;
  const address = context.env.incoming.socket.remoteAddress ?? '';
  let actor = localActor;
  if (route.scope === null) access.limitAnonymous(address);
  else {
    actor = await access.authenticate(headers, address);
    await access.authorize(actor, route.scope, route.operation);
  }
  const url = new URL(context.req.url);
  const request: RouteRequest<unknown, unknown, unknown> = {
    path: part(route.parameters, context.req.param(), 'path'),
    query: part(route.query, queryOf(url), 'query'),
    body: await bodyOf(route, context, server.settings.maxBodyBytes),
    actor,
    requestId: context.get('requestId'),
    headers,
    url,
    // Made when somebody asks for it: few do.
    get signal() {
      return raw.signal;
    },
  };
  return responseOf(route, await route.handle(request, server), server);
}

function part(schema: Route['parameters'], value: unknown, name: 'path' | 'query'): unknown {
  return schema === undefined ? value : checkPart(schema, value, name);
}

/** The last of several values of a name counts. Throws an `HttpProblem` (422) for control characters in them. */
function queryOf(url: URL): Record<string, string> {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of url.searchParams) {
    if (!isPlainText(value)) throw notPlain(name);
    query[name] = value;
  }
  return { ...query };
}

function notPlain(name: string): HttpProblem {
  const message = 'must not hold control characters';
  return unprocessable('request_invalid', `query ${name}: ${message}`, [
    { in: 'query', path: name, message },
  ]);
}

async function bodyOf(route: Route, { env, req }: Context<Bindings>, maxBytes: number): Promise<unknown> {
  if (route.body === undefined) return undefined;
  const text = await readBody(env.incoming, maxBytes);
  const mediaType = req.header('content-type') ?? null;
  if (route.bodyTypes !== undefined) {
    requireMediaType(mediaType, route.bodyTypes);
    return checkPart(route.body, text, 'body');
  }
  // A body that may be left out is the same as an empty one.
  if (text === '') return checkPart(route.body, undefined, 'body');
  requireMediaType(mediaType, ['application/json']);
  return checkPart(route.body, parseJson(text), 'body');
}

function responseOf(route: Route, answer: RouteAnswer, server: ServerContext): Response {
  if (answer instanceof Response) return answer;
  const status =
    answer.status ?? Number(Object.keys(route.responses).find((code) => Number(code) < 400) ?? 200);
  if (answer.body === undefined)
    return new Response(null, { status, ...(answer.headers && { headers: answer.headers }) });
  // The one place through which every value leaves: known secrets are masked in it.
  const text = server.secrets.mask(JSON.stringify(answer.body));
  return textResponse(text, { status, headers: { 'content-type': 'application/json', ...answer.headers } });
}

function loggable(error: unknown, server: ServerContext): object {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  return {
    name,
    message: server.secrets.mask(message),
    stack: server.secrets.mask(stack ?? ''),
    ...(cause instanceof Error && { cause: server.secrets.mask(cause.message) }),
  };
}
