import { workflowWork } from '../support/lait.mjs';
import { startModelServer } from '../support/start-model-server.mjs';

const calls = 200;
const latencyMs = 50;
const widths = [1, 10, 50, 200];
let server;

export default {
  title: '200 model calls of 50 ms',
  unit: 'ideal',
  scale: 'ratio',
  rounds: 10,
  cases: Object.fromEntries(widths.map((width) => [`${width} at once`, width])),
  target: { subject: 'lait', below: 1.25, case: '50 at once' },
  note: `Wall time over the ideal one, which is the number of waves times 50 ms. The server is a process of its own. CPU is in
shares of the ideal time. One at once makes 20 calls. What stands between lait and the ideal, by a profile of 12,000 calls:
40 % of the CPU time is Node's HTTP client with its system calls, 18 % lait, 20 % the \`openai\` package with the Headers and
Response objects that it needs, 6 % garbage collection. Replies of one wave arrive at once and are handled one after the
other, so each 0.1 ms of CPU time a call adds 5 ms to 200 ms at 50 at once.`,
  subjects: {
    lait: {
      async prepare(width) {
        server = await startModelServer(latencyMs);
        const items = itemsOf(width);
        return workflowWork({
          definition: {
            version: 2,
            name: 'calls',
            steps: [{ for_each: '.', max_concurrency: width, steps: [{ prompt: 'Say {{ input }}' }] }],
          },
          options: { config: { base_url: server.baseUrl, default: { model: 'mock' } } },
          call: { input: items },
          operations: idealMs(width),
          check: (value) => value.length === items.length && value[0] === 'A short answer.',
        }).then((work) => ({ ...work, close: () => Promise.all([work.close(), server.close()]) }));
      },
    },
    'bare fetch': {
      async prepare(width) {
        server = await startModelServer(latencyMs);
        const items = itemsOf(width);
        const ask = async (word) => {
          const body = JSON.stringify({
            model: 'mock',
            messages: [{ role: 'user', content: `Say ${word}` }],
          });
          const headers = { 'content-type': 'application/json', authorization: 'Bearer none' };
          const response = await fetch(`${server.baseUrl}/chat/completions`, {
            method: 'POST',
            headers,
            body,
          });
          return JSON.parse(await response.text()).choices[0].message.content;
        };
        const run = async () => {
          let next = 0;
          const work = async () => {
            while (next < items.length) await ask(items[next++]);
          };
          await Promise.all(Array.from({ length: width }, work));
        };
        return { operations: idealMs(width), run, close: () => server.close() };
      },
    },
  },
};

function itemsOf(width) {
  return Array.from({ length: width === 1 ? 20 : calls }, (_, index) => `word ${index}`);
}

function idealMs(width) {
  return Math.ceil(itemsOf(width).length / width) * latencyMs;
}
