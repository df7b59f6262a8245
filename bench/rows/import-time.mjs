import { peersDirectory } from '../support/peers.mjs';

const start = (code, directory = import.meta.dirname) => ({
  command: (run) => ({ args: ['--input-type=module', '-e', code(run)], directory }),
});
const peer = (code) => ({ peer: true, ...start(code, peersDirectory) });

/** Ends with an error unless a chain of three steps has counted to three. */
const check = (expression) => `if (${expression} !== 3) throw new Error('wrong result');`;
/** Three steps that add 1, as source text. */
const each = (step) => Array.from({ length: 3 }, (_, index) => step(index)).join('\n');

export default {
  title: 'Import of the library',
  unit: 'start',
  scale: 'ms',
  rounds: 15,
  cases: { import: false, 'import and first run': true },
  note: `A process that imports what a program needs to define and run workflows, and ends; and one that also defines a workflow
of three steps and runs it once, which is what counts: lait loads what reads and runs workflows when it is first needed.
\`xstate\`, a state machine, reads no definitions and compiles no expressions. Of the first run of lait a fifth is V8 looking
through 230 KB of reader, jq and engine, which Node 22 and newer can keep in a compile cache.`,
  subjects: {
    'bare module': start(() => '0'),
    lait: start((run) =>
      run
        ? `import { createLait } from 'lait';
           const lait = await createLait({ config: false });
           const steps = [0, 1, 2].map((index) => ({ id: 's' + index, jq: '{n: (.n + 1)}' }));
           const workflow = await lait.load({ version: 2, name: 'chain', steps });
           const { value } = await workflow.run({ input: { n: 0 } });
           ${check('value.n')}`
        : "import 'lait'",
    ),
    mastra: peer((run) =>
      run
        ? `import { createWorkflow } from '@mastra/core/workflows';
           import { z } from 'zod';
           const workflow = createWorkflow({ id: 'chain', inputSchema: z.any(), outputSchema: z.any() });
           ${each(() => 'workflow.map(async ({ inputData }) => ({ n: inputData.n + 1 }));')}
           workflow.commit();
           const { result } = await (await workflow.createRun()).start({ inputData: { n: 0 } });
           ${check('result.n')}`
        : "import '@mastra/core/workflows'",
    ),
    langgraph: peer((run) =>
      run
        ? `import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
           const graph = new StateGraph(Annotation.Root({ n: Annotation() }));
           ${each((index) => `graph.addNode('s${index}', ({ n }) => ({ n: n + 1 }));`)}
           graph.addEdge(START, 's0').addEdge('s0', 's1').addEdge('s1', 's2').addEdge('s2', END);
           const { n } = await graph.compile().invoke({ n: 0 });
           ${check('n')}`
        : "import '@langchain/langgraph'",
    ),
    xstate: peer((run) =>
      run
        ? `import { assign, createActor, createMachine } from 'xstate';
           const add = assign({ n: ({ context }) => context.n + 1 });
           const states = { s3: { type: 'final' } };
           ${each((index) => `states.s${index} = { always: { target: 's${index + 1}', actions: add } };`)}
           const machine = createMachine({ context: { n: 0 }, initial: 's0', states });
           const { n } = createActor(machine).start().getSnapshot().context;
           ${check('n')}`
        : "import 'xstate'",
    ),
  },
};
