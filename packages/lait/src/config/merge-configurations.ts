import { runLimits } from '../plan/spending-limits.js';
import type { ConfigurationValues, KeySettings } from './configuration.js';

const maps = [
  'models',
  'mcp_servers',
  'skills',
  'agents',
  'prompts',
  'workflows',
  'tools',
  'capabilities',
] as const;

/**
 * Lays the project's configuration over the user's global one: maps by key, `default` and `jev` item by item, the lists
 * of `tool_policy` united, the smaller of two limits, `api_key` and `api_key_cmd` as one pair, everything else by
 * presence. Source: facts §3.
 */
export function mergeConfigurations(
  project: ConfigurationValues,
  global: ConfigurationValues,
): ConfigurationValues {
  const merged: ConfigurationValues = mergeItems(project, global);
  for (const name of maps) {
    const entries = mergeMap(project[name], global[name]);
    if (entries !== undefined) Object.assign(merged, { [name]: entries });
  }
  if (project.default !== undefined && global.default !== undefined) {
    merged.default = { ...global.default, ...project.default };
  }
  if (project.limits !== undefined && global.limits !== undefined) {
    merged.limits = runLimits(undefined, project.limits, global.limits)!;
  }
  if (project.jev !== undefined && global.jev !== undefined) {
    merged.jev = mergeItems(project.jev, global.jev);
  }
  if (project.tool_policy !== undefined && global.tool_policy !== undefined) {
    merged.tool_policy = {
      ...union('allow', project.tool_policy.allow, global.tool_policy.allow),
      ...union('deny', project.tool_policy.deny, global.tool_policy.deny),
    };
  }
  return merged;
}

/** Item by item, but a key of the upper level hides both key fields of the lower one. */
function mergeItems<T extends KeySettings>(upper: T, lower: T): T {
  const rest: T = { ...lower };
  if (upper.api_key !== undefined || upper.api_key_cmd !== undefined) {
    delete rest.api_key;
    delete rest.api_key_cmd;
  }
  return { ...rest, ...upper };
}

function mergeMap(
  upper: Readonly<Record<string, unknown>> | undefined,
  lower: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> | undefined {
  if (upper === undefined || lower === undefined) return undefined;
  const added = Object.entries(lower).filter(([key]) => !Object.hasOwn(upper, key));
  return Object.fromEntries([...Object.entries(upper), ...added]);
}

function union(name: string, upper: readonly string[] = [], lower: readonly string[] = []) {
  const items = [...new Set([...upper, ...lower])];
  return items.length === 0 ? {} : { [name]: items };
}
