import type { Diagnostic } from '../../plan/diagnostic.js';
import type { JsonValue } from '../../values/value.js';

/** A problem document. Source: RFC 9457. */
export interface ProblemDocument {
  /** A URN that ends with the code: the same problem always has the same type. */
  type: string;
  title: string;
  status: number;
  /** What is wrong here and what to do. */
  detail: string;
  /** Stable snake_case identifier. */
  code: string;
  /** Problems of a definition, all of them. */
  diagnostics?: readonly Diagnostic[];
  /** Problems of the request: where and what. */
  errors?: readonly RequestProblem[];
  /** Further facts, e.g. the current version after a conflict. */
  [member: string]: unknown;
}

/** A part of a request that does not fit. */
export interface RequestProblem {
  in: 'body' | 'path' | 'query' | 'header';
  /** Dotted path of the part, empty for the whole. */
  path: string;
  message: string;
}

export interface ProblemOptions {
  status: number;
  code: string;
  detail: string;
  headers?: Readonly<Record<string, string>>;
  diagnostics?: readonly Diagnostic[];
  errors?: readonly RequestProblem[];
  members?: Readonly<Record<string, JsonValue>>;
  cause?: unknown;
}

/** A refusal with its HTTP status. Every error of a request becomes one. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #options: ProblemOptions;

  constructor(options: ProblemOptions) {
    super(options.detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HttpProblem';
    this.status = options.status;
    this.code = options.code;
    this.headers = options.headers ?? {};
    this.#options = options;
  }

  document(): ProblemDocument {
    const { status, code, detail, diagnostics, errors, members } = this.#options;
    return {
      ...members,
      type: `urn:lait:problem:${code}`,
      title: titles[status] ?? 'Error',
      status,
      detail,
      code,
      ...(diagnostics !== undefined && { diagnostics }),
      ...(errors !== undefined && { errors }),
    };
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
  507: 'Insufficient storage',
};

export function notFound(what: string, id: string): HttpProblem {
  return new HttpProblem({
    status: 404,
    code: `${what.replaceAll(' ', '_')}_not_found`,
    detail: `there is no ${what} '${id}'`,
  });
}

export function conflict(
  code: string,
  detail: string,
  members?: Readonly<Record<string, JsonValue>>,
): HttpProblem {
  return new HttpProblem({ status: 409, code, detail, ...(members !== undefined && { members }) });
}

export function unprocessable(code: string, detail: string, errors?: readonly RequestProblem[]): HttpProblem {
  return new HttpProblem({ status: 422, code, detail, ...(errors !== undefined && { errors }) });
}
