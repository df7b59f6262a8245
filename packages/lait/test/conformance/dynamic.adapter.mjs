// Runs the dynamic kit against the public API. Only translates.
import { createLait, defineTool } from '../../dist/index.js';

const toolOf = ([key, { execute, ...tool }]) => [
  key,
  defineTool({ ...tool, execute: (input, context) => execute(input, toolContext(context)) }),
];

const toolContext = (context) => ({
  runId: context.runId,
  get state() {
    return context.state;
  },
  setState: async (state) => context.setState(state),
  requestContext: new Map(Object.entries(context.requestContext)),
  resumeData: context.resume,
  suspend: context.suspend,
});

const agentOf = ([key, { id, generate }]) => [
  key,
  { ...(id === undefined ? {} : { name: id }), answer: async (prompt) => ({ text: await generate(prompt) }) },
];

export async function createHost({ tools, agents }) {
  const lait = await createLait({
    config: false,
    tools: Object.fromEntries(Object.entries(tools).map(toolOf)),
    agents: Object.fromEntries(Object.entries(agents).map(agentOf)),
  });
  return {
    register: (definitions) => lait.addDynamicWorkflows(definitions),
    async run(id, { input, state, requestContext }) {
      const run = await lait.getWorkflow(id).createRun();
      return run.start({ inputData: input, initialState: state, requestContext });
    },
  };
}
