import type { ModelEntry, ModelSettings, ToolSelection } from '../plan/settings.js';
import type { SecretRegistry } from '../values/secrets.js';
import type { RateLimits } from './rate-limits.js';

/** Where model ids that are no alias go when nothing says otherwise. Source: facts §4. */
export const defaultBaseUrl = 'http://localhost:1234/v1';

/** What a model service is made of. The upper part mirrors lait.config.yml. */
export interface ModelServiceOptions {
  /** API of model ids that are no alias, and of aliases without their own. Default http://localhost:1234/v1. */
  base_url?: string;
  api_key?: string;
  api_key_cmd?: string | readonly string[];
  models?: Readonly<Record<string, readonly ModelEntry[]>>;
  /** `default:` of the configuration, as far as models and tools are concerned. */
  defaults?: ModelSettings & ToolSelection;
  /** Endpoint and key of the command line: they win over everything and pin one endpoint. */
  override?: { base_url?: string; api_key?: string };
  /** What `${VAR}` and key commands see. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Keys are made known here before they are used; recordings and errors are masked with it. */
  secrets: SecretRegistry;
  /** Writes each reply as a cassette into this directory. Excludes `replayDirectory`. */
  recordDirectory?: string;
  /** Answers from the cassettes of this directory only. */
  replayDirectory?: string;
  /** The response cache. Absent: none. */
  cache?: { directory: string; ttlSeconds?: number };
  /** Asks for streamed replies, for somebody who watches them come. Default false. */
  streaming?: boolean;
  /** Explains cache hits and misses. Default false. */
  explaining?: boolean;
  /** Shared slow-down of requests. Default: one per process. */
  rateLimits?: RateLimits;
  /** Longest time of one request. Default 300 seconds. */
  requestTimeoutSeconds?: number;
}
