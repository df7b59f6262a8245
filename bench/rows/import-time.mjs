import { peersDirectory } from '../support/peers.mjs';

const library = new URL('../../packages/lait/dist/index.js', import.meta.url).href;
const start = (code, directory = import.meta.dirname) => ({
  command: () => ({ args: ['--input-type=module', '-e', code], directory }),
});
const peer = (code) => ({ peer: true, ...start(code, peersDirectory) });

export default {
  title: 'Import of the library',
  unit: 'start',
  scale: 'ms',
  cases: { 'process start': undefined },
  note: 'A process that imports what a program needs to define and run workflows, and ends.',
  subjects: {
    'bare module': start('0'),
    lait: start(`import ${JSON.stringify(library)}`),
    mastra: peer("import '@mastra/core/workflows'"),
    langgraph: peer("import '@langchain/langgraph'"),
    xstate: peer("import 'xstate'"),
  },
};
