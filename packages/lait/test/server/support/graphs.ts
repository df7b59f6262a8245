/** A graph that greets somebody; `text_template` and a terminal. */
export const greeting = {
  inputs_schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  nodes: [
    {
      node_id: '0b0cbe92-1111-4111-8111-000000000001',
      node_type: 'text_template',
      config: {
        inputs: {
          name: { $ref: 'run.inputs.name' },
          literal: 'nodes.0b0cbe92-1111-4111-8111-000000000001.output',
        },
        template: 'こんにちは {{ name }} 🎉',
      },
    },
    {
      node_id: '0b0cbe92-1111-4111-8111-000000000002',
      node_type: 'terminal',
      config: { outcome: 'success' },
    },
  ],
  edges: [
    {
      edge_id: '0b0cbe92-1111-4111-8111-000000000003',
      source_node_id: '0b0cbe92-1111-4111-8111-000000000001',
      target_node_id: '0b0cbe92-1111-4111-8111-000000000002',
    },
  ],
};
