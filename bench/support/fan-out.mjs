import { workflowWork } from './lait.mjs';
import { startModelServer } from './start-model-server.mjs';

const latencyMs = 50;

/** How long model calls take when nothing else takes time: whole waves, one after the other. */
function idealMs({ branches, width, callsEach = 1 }) {
  return Math.ceil(branches / width) * callsEach * latencyMs;
}

/** The work of lait: one prompt for each of `branches` items, `width` at once. */
export async function laitFanOut({ branches, width, callsEach = 1, prompt = {}, config = {}, tools }) {
  const server = await startModelServer(latencyMs);
  const work = await workflowWork({
    definition: {
      version: 2,
      name: 'calls',
      steps: [{ for_each: '.', max_concurrency: width, steps: [{ prompt: 'Say {{ input }}', ...prompt }] }],
    },
    options: {
      config: { base_url: server.baseUrl, default: { model: 'mock' }, ...config },
      ...(tools === undefined ? {} : { tools }),
    },
    call: { input: itemsOf(branches) },
    operations: idealMs({ branches, width, callsEach }),
    check: (value) => value.length === branches && value.every((answer) => answer === 'A short answer.'),
  });
  return { ...work, close: () => Promise.all([work.close(), server.close()]) };
}

/**
 * The same with nothing but `fetch`: `branch(word, ask)` makes the calls of one branch, where `ask(messages, tools)`
 * gives the model's message. `around(run)` stands around each run.
 */
export async function bareFanOut({ branches, width, callsEach = 1, branch, around = (run) => run() }) {
  const server = await startModelServer(latencyMs);
  const ask = async (messages, tools) => {
    const response = await fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: JSON.stringify({ model: 'mock', messages, tools }),
    });
    return JSON.parse(await response.text()).choices[0].message;
  };
  const items = itemsOf(branches);
  const run = () =>
    around(async (shared) => {
      let next = 0;
      const work = async () => {
        while (next < items.length) {
          const { content } = await branch(items[next++], ask, shared);
          if (content !== 'A short answer.') throw new Error(`wrong answer: ${content}`);
        }
      };
      await Promise.all(Array.from({ length: width }, work));
    });
  return { operations: idealMs({ branches, width, callsEach }), run, close: () => server.close() };
}

function itemsOf(branches) {
  return Array.from({ length: branches }, (_, index) => `word ${index}`);
}
