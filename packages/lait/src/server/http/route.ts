import type { z } from 'zod';
import type { Actor, Scope } from '../access/scopes.js';
import type { ServerContext } from '../server-context.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A request whose parts fit their schemas. */
export interface RouteRequest<Path, Query, Body> {
  path: Path;
  query: Query;
  body: Body;
  actor: Actor;
  /** Names the request in logs. */
  requestId: string;
  headers: Headers;
  /** The whole address, for links. */
  url: URL;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** What a handler gives: a JSON body with a status (default: the first successful one), or a whole response. */
export type RouteAnswer = Response | { status?: number; body?: unknown; headers?: Record<string, string> };

export interface RouteResponse {
  description: string;
  /** Of the JSON body; absent: there is none, or `content` says what there is. */
  schema?: z.ZodType;
  /** Media type of a body that is not JSON. */
  content?: string;
}

/**
 * One row of the table of routes: what is served is registered from it, requests are checked by its schemas, and the
 * OpenAPI document and the page about the API are made from it.
 */
export interface Route<Path = unknown, Query = unknown, Body = unknown> {
  method: Method;
  /** Below the group's prefix, with `{name}` for parameters. */
  path: string;
  /** Unique; names the operation in generated clients. */
  operation: string;
  summary: string;
  description?: string;
  tag: string;
  /** What the caller's token must allow; null for what everybody may see. */
  scope: Scope | null;
  parameters?: z.ZodType<Path>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Media types of a body that is not JSON: `body` then sees its text. */
  bodyTypes?: readonly string[];
  /** By status; the first below 400 is the usual one. */
  responses: Readonly<Record<number, RouteResponse>>;
  handle(request: RouteRequest<Path, Query, Body>, server: ServerContext): Promise<RouteAnswer> | RouteAnswer;
}

/** Lets a route's handler see the types of its schemas. */
export function route<Path = unknown, Query = unknown, Body = unknown>(
  definition: Route<Path, Query, Body>,
): Route {
  return definition as unknown as Route;
}

/** Routes with a common prefix and a common way to tell errors. */
export interface RouteGroup {
  /** E.g. `/v1`; the longest that fits decides how an error looks. */
  prefix: string;
  routes: readonly Route[];
  /** The body of an error and its media type. Default: a problem document. */
  errorBody?(problem: import('./problem.js').HttpProblem): {
    body: unknown;
    contentType?: string;
    status?: number;
  };
}
