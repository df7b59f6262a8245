import type { CapabilitySettings } from '../capabilities/capability-settings.js';
import type { ModelEntry, ModelSettings, ToolSelection } from '../plan/settings.js';
import type { SpendingLimits } from '../plan/spending-limits.js';
import type { McpServerSettings } from '../tools/mcp/mcp-server-settings.js';
import type { ShellToolSettings } from '../tools/shell-tool-settings.js';

/** A key, or the command that prints it; the two exclude each other. */
export interface KeySettings {
  api_key?: string;
  api_key_cmd?: string | readonly string[];
}

export interface ConfigurationDefaults extends ModelSettings, ToolSelection {
  system?: string;
  render?: boolean;
  history?: boolean;
  cache?: boolean;
  cache_ttl?: number;
  compaction?: { trigger_rounds: number; keep_last_n: number };
  skill_progressive_disclosure?: boolean;
}

export interface DecisionSettings extends KeySettings {
  base_url?: string;
  model?: string;
}

/** `server:`: how `lait serve` behaves. */
export interface ServerConfiguration {
  database?: string;
  allow?: readonly ('run' | 'write' | 'files' | 'endpoints')[];
  allowed_hosts?: readonly string[];
  require_token?: boolean;
  max_body_bytes?: number;
  rate_limit?: { per_second: number; burst: number };
  concurrency?: number;
  limits?: { total?: number; per_workflow?: number; workflows?: Readonly<Record<string, number>> };
  lease_seconds?: number;
  resume?: 'automatic' | 'explicit';
  stop_grace_seconds?: number;
  retention_days?: number;
  webhook_private_hosts?: readonly string[];
  otlp?: string;
}

/** What lait.config.yml says, checked; registry paths are absolute. `${VAR}` is replaced where a value is used. */
export interface ConfigurationValues extends KeySettings {
  base_url?: string;
  default?: ConfigurationDefaults;
  /** What each run may spend. */
  limits?: SpendingLimits;
  models?: Readonly<Record<string, readonly ModelEntry[]>>;
  mcp_servers?: Readonly<Record<string, McpServerSettings>>;
  skills?: Readonly<Record<string, string>>;
  agents?: Readonly<Record<string, string>>;
  prompts?: Readonly<Record<string, string>>;
  workflows?: Readonly<Record<string, string>>;
  tool_policy?: { allow?: readonly string[]; deny?: readonly string[] };
  tools?: Readonly<Record<string, ShellToolSettings>>;
  /** Capabilities of the graph form: settings of built-in ones, and new ones. */
  capabilities?: Readonly<Record<string, CapabilitySettings>>;
  /** Settings of the graph form. */
  graph?: { max_nodes?: number; max_edges?: number; time_zone?: string };
  /** How `lait serve` behaves. */
  server?: ServerConfiguration;
  strict_tools?: boolean;
  /** Of the user's own file: what happens with configurations that are not trusted yet. */
  trust?: 'ask' | 'always' | 'never';
  max_tool_result_bytes?: number;
  jev?: DecisionSettings;
}

/** The merged configuration and the files it came from, the nearest first; none when there is no configuration. */
export interface Configuration {
  values: ConfigurationValues;
  /** The file of the project, or the one that was named, and what it says by itself; absent when there is none. */
  project?: { file: string; values: ConfigurationValues };
  /** What the user's own file says about configurations of projects. */
  trust?: ConfigurationValues['trust'];
  files: readonly string[];
}

export const emptyConfiguration: Configuration = { values: {}, files: [] };
