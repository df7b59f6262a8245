import { nodeTypes } from '../../../../dialects/graph/node-types/index.js';
import type { Capability } from '../../../../kinds/services.js';
import type { GraphLimits } from '../graph-limits.js';

/** What a graph may use on this server. */
export interface DesignerCatalog {
  capabilities: readonly Capability[];
  agents: readonly string[];
  limits: GraphLimits;
}

/** So much of the catalog is told to the model, in characters; what comes behind is left out and said so. */
const mostCatalog = 60_000;

const rules = `
You design workflows as graphs. Answer with one JSON object and nothing else:

{
  "summary": "what the workflow does, in one or two sentences, in the language of the requirement",
  "assumptions": ["what you took for granted because the requirement does not say it"],
  "name": "short name",
  "description": "one sentence",
  "inputs_schema": {"type": "object", "properties": {}, "required": []},
  "nodes": [{"node_id": "fetch", "node_type": "capability", "label": "Fetch", "config": {}, "parent_loop_node_id": null}],
  "edges": [{"edge_id": "e1", "source_node_id": "fetch", "target_node_id": "done", "edge_kind": "normal", "condition": null, "order_index": 0}]
}

Rules of the graph:
- One node runs at a time. Exactly one top-level node has no incoming edge: the run begins there. There are no cycles;
  repetition is a node of type loop. Every path ends in a terminal.
- node_id is unique and holds letters, digits, - and _ only.
- Edges of a node are judged by ascending order_index; the first normal one whose condition holds is taken. The one
  without a condition comes last. An edge with edge_kind "error" is taken when the node fails.
- A condition is {"from_path": "<path>", "operator": "equals" | "exists" | "in", "value": …}.
- A value may hold {"$ref": "<path>"} anywhere. Paths: run.inputs.<field>, nodes.<node_id>.output.<field>,
  and inside a loop loop.state.<field>, loop.input.<field>, loop.iteration. A path may only name what has certainly
  run before, and fields that the schema declares.
- Schemas use type, properties, required, items, enum, additionalProperties, minimum, maximum, minLength, maxLength,
  minItems, maxItems, pattern, format, default, title and description only.

Config of each node type:
- capability: {"capability_key", "inputs": {field: value}}; the keys are listed below. hitl_wait asks a person:
  inputs question, question_type ("text", "select" with choices, "boolean"); its output is {"answer": text}, and a
  boolean is answered with the text "true" or "false".
- agent: {"agent_id", "inputs": {name: value}, "output_schema"}; output: the object of its answer.
- llm: {"provider": "default", "model", "system_prompt", "max_tokens", "inputs": {name: value}, "output_schema"};
  output: the object of its answer.
- text_template: {"inputs": {name: value}, "template": "Jinja text that uses only these names"}; output {"text"}.
- loop: {"state_schema", "input_mapping": {field: value}, "continuation_condition", "max_iterations" (1 to 50),
  "entry_node_id"}. Its children carry its id as parent_loop_node_id and have edges among themselves only; it runs them
  once, and again while the condition on loop.state holds. Output: {"final_state", "iterations", "exit_reason"}.
- loop_result: {"output_mapping": {field: value}}: the last child of a loop; the mapping is the next loop.state.
- terminal: {"outcome": "success" | "failure"}.
`.trim();

/** Tells a model what a graph is and what it may use here. Source: graph facts §2 to §6. */
export function designerPrompt({ capabilities, agents, limits }: DesignerCatalog, model: string): string {
  const types = [...nodeTypes.values()].map(({ type, description }) => `- ${type}: ${description}`);
  return [
    rules,
    `Node types:\n${types.join('\n')}`,
    `At most ${limits.maxNodes} nodes and ${limits.maxEdges} edges. The model of llm nodes is "${model}".`,
    `Agents:\n${agents.length === 0 ? 'none: use no node of type agent' : agents.map((name) => `- ${name}`).join('\n')}`,
    `Capabilities:\n${catalogOf(capabilities)}`,
  ].join('\n\n');
}

/** What a model is told about a graph that cannot be used. */
export function correctionPrompt(problems: readonly object[]): string {
  return [
    'Your graph has these problems:',
    ...problems.slice(0, 50).map((problem) => `- ${JSON.stringify(problem)}`),
    'Answer again with the whole corrected JSON object and nothing else.',
  ].join('\n');
}

function catalogOf(capabilities: readonly Capability[]): string {
  const lines: string[] = [];
  let length = 0;
  for (const { key, description = '', input_schema = {}, output_schema } of capabilities) {
    const line = JSON.stringify({
      key,
      description,
      inputs: input_schema,
      output: output_schema ?? 'an object',
    });
    length += line.length;
    if (length > mostCatalog) return [...lines, '(further ones are left out)'].join('\n');
    lines.push(`- ${line}`);
  }
  return lines.join('\n');
}
