// Runs the graph kit against the public API. Only translates.
import { createLait, defineCapability } from '../../dist/index.js';

/** The registry of a case: built-in capabilities are the project's own. */
const capabilityOf = ([key, { builtin, ...declared }]) =>
  builtin === undefined ? [defineCapability({ key, ...declared })] : [];

const agentOf = ([id, agent]) => [id, { answer: async (prompt) => ({ text: await agent.answer(prompt) }) }];

export async function createHost({ capabilities, agents }) {
  const lait = await createLait({
    config: false,
    capabilities: Object.entries(capabilities).flatMap(capabilityOf),
    agents: Object.fromEntries(Object.entries(agents).map(agentOf)),
  });
  const runs = await lait.runs();
  return {
    validate: (graph) => lait.checkGraph(graph),
    async start(graph, inputs, { referenceTime } = {}) {
      const { plan } = await lait.load(graph);
      const { run_id } = await runs.create(plan, { inputs, referenceTime }).catch(refused);
      await runs.drive(run_id);
      return {
        async act(action) {
          await decide(runs, run_id, action);
          await runs.drive(run_id);
        },
        async state() {
          const { run, nodes, events } = await runs.view(run_id);
          return { status: run.status, nodes, events };
        },
      };
    },
  };
}

function decide(runs, runId, action) {
  if (action.approve === true) return runs.approve(runId);
  if ('hitl_answer' in action) return runs.answer(runId, action.hitl_answer);
  if ('attention' in action) return runs.attention(runId, action.attention);
  throw new Error(`unknown action ${JSON.stringify(action)}`);
}

function refused(error) {
  if (error.code === 'inputs_invalid') error.status = 422;
  throw error;
}
