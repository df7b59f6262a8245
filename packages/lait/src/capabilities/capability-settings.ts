import type { JsonObject } from '../values/value.js';

/** What may be said about any capability. */
export interface CommonCapabilitySettings {
  label?: string;
  description?: string;
  /** Default true. */
  enabled?: boolean;
  /** Whether runs with it need a person's consent. Default `plan_required`, for what only reads `auto`. */
  approval_policy?: 'auto' | 'plan_required';
  /** It changes nothing outside. Default false. */
  read_only?: boolean;
  /** Calling it twice with one activation id does no harm. Default false. */
  idempotent?: boolean;
  /** What every successful call achieves. */
  effects?: readonly string[];
  input_schema?: JsonObject;
  output_schema?: JsonObject;
  target_schema?: JsonObject;
  strict_allowed?: boolean;
  contract?: 'structured' | 'receipt' | 'opaque';
}

/** A request as a capability: the inputs are its JSON body, or its query where there is none. */
export interface HttpBacking {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `${VAR}` is replaced. */
  url: string;
  /** `${VAR}` is replaced. */
  headers?: Readonly<Record<string, string>>;
  timeout_seconds?: number;
}

/** One entry of `capabilities:`: settings of a built-in one, or a new one with what it is backed by. */
export interface CapabilitySettings extends CommonCapabilitySettings {
  /** A shell tool, a tool given in code, or `<mcp server>__<tool>`. */
  tool?: string;
  /** A workflow of any form: a path or a registered name. */
  workflow?: string;
  http?: HttpBacking;
  /** `file_read`, `file_write`: the directory that they are confined to. */
  root?: string;
  /** `file_read`, `http_request`: most bytes that are read. */
  max_bytes?: number;
  /** `http_request`: hosts that may be called, `*.example.com` for subdomains. */
  allowed_hosts?: readonly string[];
  /** `http_request`: hosts that may be called although their addresses are private. */
  allowed_private_hosts?: readonly string[];
  /** `http_request`: seconds that a call may take. */
  timeout_seconds?: number;
}
