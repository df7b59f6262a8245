import type { ModelSettings, ToolSelection } from '../plan/settings.js';

type Level = ModelSettings & ToolSelection;

const modelItems = ['model', 'reasoning_effort', 'temperature', 'top_p', 'max_tokens'] as const;
const toolItems = ['mcp', 'skills', 'subagents', 'tools', 'max_tool_rounds'] as const;

/**
 * The settings of one model call: each item from the first level that sets it, an empty list included.
 * Source: steps seed, モデル設定; facts §5.
 */
export function fallBack(...levels: readonly (Level | undefined)[]): {
  settings: ModelSettings;
  selection: ToolSelection;
} {
  return { settings: pick(modelItems, levels), selection: pick(toolItems, levels) };
}

function pick<Item extends keyof Level>(
  items: readonly Item[],
  levels: readonly (Level | undefined)[],
): Pick<Level, Item> {
  const picked: Partial<Level> = {};
  for (const item of items) {
    const level = levels.find((candidate) => candidate?.[item] !== undefined);
    if (level !== undefined) picked[item] = level[item];
  }
  return picked as Pick<Level, Item>;
}

/** Whether any level offers tools or skills to the model: then there may be more than one reply. */
export function offersTools(...levels: readonly (Level | undefined)[]): boolean {
  const { mcp, subagents, tools, skills } = fallBack(...levels).selection;
  return [mcp, subagents, tools, skills].some((names) => names !== undefined && names.length > 0);
}
