import { workflowWork } from '../support/lait.mjs';
import { importPeer } from '../support/peers.mjs';

const sizes = [10, 100, 1000, 10_000];
const withPeer = ['10 nodes', '100 nodes', '1000 nodes'];

export default {
  title: 'Graph form: a chain of nodes',
  unit: 'node',
  scale: 'µs',
  cases: Object.fromEntries(sizes.map((size) => [`${size} nodes`, size])),
  note: `Each node renders a text from an input of the run. Graphs of more than 30 nodes need a raised limit. At 10,000 nodes a
quarter of the time goes with the compiled inputs, which no longer fit the processor's caches: a node holds about 2.7 KB of
plan.`,
  subjects: {
    lait: {
      prepare: (size) =>
        workflowWork({
          definition: {
            name: 'chain',
            inputs_schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
            nodes: [
              ...Array.from({ length: size }, (_, index) => ({
                node_id: `n${index}`,
                node_type: 'text_template',
                config: { inputs: { word: { $ref: 'run.inputs.word' } }, template: `${index}: {{ word }}` },
              })),
              { node_id: 'done', node_type: 'terminal', config: { outcome: 'success' } },
            ],
            edges: Array.from({ length: size }, (_, index) => ({
              source_node_id: `n${index}`,
              target_node_id: index + 1 === size ? 'done' : `n${index + 1}`,
            })),
          },
          options: { config: { graph: { max_nodes: size + 1, max_edges: size + 1 } } },
          call: { inputs: { word: 'hello' } },
          operations: size,
        }),
    },
    langgraph: {
      peer: true,
      cases: withPeer,
      async prepare(size) {
        const { StateGraph, Annotation, START, END } = await importPeer('@langchain/langgraph');
        const graph = new StateGraph(Annotation.Root({ word: Annotation(), text: Annotation() }));
        for (let index = 0; index < size; index += 1) {
          graph.addNode(`n${index}`, ({ word }) => ({ text: `${index}: ${word}` }));
        }
        graph.addEdge(START, 'n0');
        for (let index = 1; index < size; index += 1) graph.addEdge(`n${index - 1}`, `n${index}`);
        graph.addEdge(`n${size - 1}`, END);
        const compiled = graph.compile();
        return {
          operations: size,
          run: () => compiled.invoke({ word: 'hello' }, { recursionLimit: size + 10 }),
        };
      },
    },
  },
};
