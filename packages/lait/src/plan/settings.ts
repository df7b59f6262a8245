import type { Expression } from '../expressions/expression.js';
import type { AgentPlan } from './agent.js';

/** When and how a failed attempt is repeated. */
export interface RetryPolicy {
  /** Attempts in all, the first included; at least 1. */
  maxAttempts: number;
  /** Wait before the second attempt. Default 0. */
  delaySeconds: number;
  /** Factor on the wait after each attempt. Default 1. */
  backoff: number;
  /** Error codes that are never repeated, e.g. a wrong input in the graph form. */
  except?: readonly string[];
}

/** Settings of a model call, each item falling back on its own. Source: steps facts §5. */
export interface ModelSettings {
  model?: string;
  reasoning_effort?: string;
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
}

/** Which tools a model may use, by registered name. An empty list is a set value and stops the fallback. */
export interface ToolSelection {
  mcp?: readonly string[];
  skills?: readonly string[];
  subagents?: readonly string[];
  tools?: readonly string[];
  max_tool_rounds?: number;
}

/** How a server is asked for a structured reply. */
export type StructuredOutputMode = 'json_schema' | 'json_object' | 'prompt';

/** One entry of `models.<alias>`, as in the configuration (facts §3 and §4). */
export interface ModelEntry {
  provider?: {
    base_url?: string;
    api_key?: string;
    api_key_cmd?: string | readonly string[];
    headers?: Readonly<Record<string, string>>;
    query?: Readonly<Record<string, string>>;
    api_key_header?: string;
  };
  model_id: string;
  max_tokens_field?: 'max_completion_tokens' | 'max_tokens';
  structured_output?: StructuredOutputMode;
  [key: string]: unknown;
}

/** What `default:` of a workflow file sets. */
export interface DefaultSettings extends ModelSettings, ToolSelection {
  system?: Expression<string>;
  retry?: RetryPolicy;
  timeoutSeconds?: number;
}

/** What a plan brings for the steps that call models. */
export interface PlanSettings {
  defaults: DefaultSettings;
  models: Readonly<Record<string, readonly ModelEntry[]>>;
  /** The file's own `agents:`. Not inherited. */
  agents: Readonly<Record<string, AgentPlan>>;
}

export const noSettings: PlanSettings = { defaults: {}, models: {}, agents: {} };

/** A child's settings over its caller's, item by item. Source: steps seed, `workflow`. */
export function inheritSettings(own: PlanSettings, caller: PlanSettings): PlanSettings {
  return {
    defaults: { ...caller.defaults, ...own.defaults },
    models: { ...caller.models, ...own.models },
    agents: own.agents,
  };
}
