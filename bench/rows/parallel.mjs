import { dynamicWork, workflowWork } from '../support/lait.mjs';
import { mastra, mastraWork } from '../support/mastra.mjs';
import { importPeer } from '../support/peers.mjs';

const branches = 100;
const names = Array.from({ length: branches }, (_, index) => `b${index}`);
const numbers = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const isRight = (value) => value.b99.n === 100;

export default {
  title: 'Branches side by side',
  unit: 'branch',
  scale: 'µs',
  cases: { '100 branches': branches, '100 tools': branches },
  note: 'Each branch adds its index to a number: first pure steps, then tools given in code, which really run side by side.',
  subjects: {
    lait: {
      prepare: (_, caseName) => (caseName === '100 tools' ? laitTools() : laitSteps()),
    },
    mastra: { peer: true, prepare: mastraSteps },
    langgraph: { peer: true, prepare: langgraphNodes },
  },
};

function laitSteps() {
  return workflowWork({
    definition: {
      version: 2,
      name: 'branches',
      steps: [
        {
          parallel: Object.fromEntries(names.map((name, index) => [name, [{ jq: `{n: (.n + ${index})}` }]])),
        },
      ],
    },
    call: { input: { n: 1 } },
    operations: branches,
    check: isRight,
  });
}

async function laitTools() {
  const { defineTool } = await import('lait');
  const tools = Object.fromEntries(
    names.map((name, index) => [
      name,
      defineTool({
        id: name,
        description: 'adds',
        inputSchema: numbers,
        outputSchema: numbers,
        execute: async ({ n }) => ({ n: n + index }),
      }),
    ]),
  );
  return dynamicWork({
    definitions: [
      {
        id: 'branches',
        inputSchema: numbers,
        outputSchema: {},
        graph: [{ type: 'parallel', steps: names.map((name) => ({ type: 'tool', id: name, toolId: name })) }],
      },
    ],
    tools,
    input: { n: 1 },
    operations: branches,
    check: isRight,
  });
}

async function mastraSteps() {
  const { createStep, createWorkflow, any } = await mastra();
  const steps = names.map((id, index) =>
    createStep({
      id,
      inputSchema: any,
      outputSchema: any,
      execute: async ({ inputData: { n } }) => ({ n: n + index }),
    }),
  );
  const workflow = createWorkflow({ id: 'branches', inputSchema: any, outputSchema: any })
    .parallel(steps)
    .commit();
  return mastraWork({ workflow, input: { n: 1 }, operations: branches, check: isRight });
}

async function langgraphNodes() {
  const { StateGraph, Annotation, START, END } = await importPeer('@langchain/langgraph');
  const sums = Annotation({ reducer: (left, right) => ({ ...left, ...right }), default: () => ({}) });
  const graph = new StateGraph(Annotation.Root({ n: Annotation(), sums }));
  for (const [index, name] of names.entries()) {
    graph.addNode(name, ({ n }) => ({ sums: { [name]: n + index } }));
    graph.addEdge(START, name);
    graph.addEdge(name, END);
  }
  const compiled = graph.compile();
  return { operations: branches, run: () => compiled.invoke({ n: 1 }) };
}
