import type { JsonObject } from '../../../values/value.js';
import type { GraphContent } from './graph-content.js';

/** A graph to begin with. */
export interface StarterTemplate {
  template_key: string;
  name: string;
  description: string;
  graph: GraphContent;
}

const text: JsonObject = { type: 'string' };

export const starterTemplates: readonly StarterTemplate[] = [
  {
    template_key: 'ask_and_render',
    name: 'Ask and write down',
    description: 'Asks a person one question and renders the answer into a text.',
    graph: {
      inputs_schema: { type: 'object', properties: { topic: text }, required: ['topic'] },
      nodes: [
        node('ask', 'capability', 'Ask', {
          capability_key: 'hitl_wait',
          inputs: { question: { $ref: 'run.inputs.topic' }, question_type: 'text' },
        }),
        node('render', 'text_template', 'Write', {
          inputs: { topic: { $ref: 'run.inputs.topic' }, answer: { $ref: 'nodes.ask.output.answer' } },
          template: '{{ topic }}: {{ answer }}',
        }),
        node('done', 'terminal', 'Done', { outcome: 'success' }),
      ],
      edges: [edge('ask', 'render'), edge('render', 'done')],
    },
  },
  {
    template_key: 'approve_or_stop',
    name: 'Approve or stop',
    description: 'Asks for a yes or no; a no ends the run as failed.',
    graph: {
      inputs_schema: { type: 'object', properties: { request: text }, required: ['request'] },
      nodes: [
        node('decide', 'capability', 'Decide', {
          capability_key: 'hitl_wait',
          inputs: { question: { $ref: 'run.inputs.request' }, question_type: 'boolean' },
        }),
        node('approved', 'terminal', 'Approved', { outcome: 'success' }),
        node('refused', 'terminal', 'Refused', { outcome: 'failure' }),
      ],
      edges: [
        edge('decide', 'approved', {
          condition: { from_path: 'nodes.decide.output.answer', operator: 'equals', value: 'true' },
        }),
        edge('decide', 'refused', { order_index: 1 }),
      ],
    },
  },
  {
    template_key: 'revise_until_approved',
    name: 'Revise until approved',
    description: 'Shows a draft and takes comments until the answer is "ok", five times at most.',
    graph: {
      inputs_schema: { type: 'object', properties: { draft: text }, required: ['draft'] },
      nodes: [
        node('revise', 'loop', 'Revise', {
          state_schema: {
            type: 'object',
            properties: { draft: text, comment: text },
            required: ['draft', 'comment'],
          },
          input_mapping: { draft: { $ref: 'run.inputs.draft' }, comment: '' },
          continuation_condition: {
            from_path: 'loop.state.comment',
            operator: 'in',
            value: ['again', 'no', 'change'],
          },
          max_iterations: 5,
          entry_node_id: 'review',
        }),
        node(
          'review',
          'capability',
          'Review',
          {
            capability_key: 'hitl_wait',
            inputs: {
              question: { $ref: 'loop.state.draft' },
              question_type: 'select',
              choices: ['ok', 'again', 'no', 'change'],
            },
          },
          'revise',
        ),
        node(
          'next',
          'loop_result',
          'Next',
          {
            output_mapping: {
              draft: { $ref: 'loop.state.draft' },
              comment: { $ref: 'nodes.review.output.answer' },
            },
          },
          'revise',
        ),
        node('done', 'terminal', 'Done', { outcome: 'success' }),
      ],
      edges: [edge('review', 'next'), edge('revise', 'done')],
    },
  },
];

function node(
  node_id: string,
  node_type: string,
  label: string,
  config: JsonObject,
  parent: string | null = null,
): JsonObject {
  return { node_id, node_type, label, config, parent_loop_node_id: parent, ui_position: null };
}

function edge(source: string, target: string, more: JsonObject = {}): JsonObject {
  return {
    edge_id: `${source}-${target}`,
    source_node_id: source,
    target_node_id: target,
    edge_kind: 'normal',
    condition: null,
    order_index: 0,
    ...more,
  };
}
