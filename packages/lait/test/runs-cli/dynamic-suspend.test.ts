import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';
import { logOf } from './graph-files.js';

const library = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

/** A program with a tool that waits to be resumed: begins a run, or lets it go on. */
const program = `
import { appendFileSync } from 'node:fs';
import { createLait, defineTool, openRunStore } from ${JSON.stringify(library)};
const object = { type: 'object', properties: { box: { type: 'integer' }, signed: { type: 'string' } } };
const tools = {
  ship: defineTool({
    inputSchema: object,
    outputSchema: object,
    execute: async (input, { resume, suspend }) => {
      appendFileSync('log', JSON.stringify({ input, resume: resume ?? null }) + '\\n');
      return resume === undefined ? suspend({ asks: 'who signs?' }) : { signed: resume.by };
    },
  }),
};
const store = await openRunStore();
const lait = await createLait({ config: false, tools, store });
const runs = await lait.runs();
if (process.argv[2] === 'begin') {
  const definition = {
    id: 'shipping', inputSchema: object, outputSchema: object,
    graph: [{ type: 'tool', id: 'ship', toolId: 'ship' }],
  };
  const { plan } = await lait.load(definition);
  await runs.drive((await runs.create(plan, { inputs: { box: 1 } })).run_id);
} else {
  const [run] = await runs.list();
  await runs.drive(run.run_id);
}
const [{ status, result, error_summary }] = await runs.list();
console.log(JSON.stringify({ status, result, error_summary }));
await lait.close();
await store.close();
`;

test('a suspended tool is answered with JSON at its address, and goes on in the program that has it [waiting.suspended]', async () => {
  const directory = directoryWith({ 'p.mjs': program });
  const run = (what: string) =>
    JSON.parse(execFileSync(process.execPath, ['p.mjs', what], { cwd: directory, encoding: 'utf8' }));
  expect(run('begin')).toEqual({ status: 'waiting_hitl' });
  const shown = await lait(directory, ['runs', 'show', 'latest', '--json']);
  const { run_id: id, questions } = JSON.parse(shown.stdout);
  expect(questions).toMatchObject([{ question: { type: 'resume', payload: { asks: 'who signs?' } } }]);
  const text = (await lait(directory, ['runs', 'show', id])).stdout;
  expect(text).toContain(`lait runs answer ${id} '${questions[0].address}' --json '{}'`);
  const answered = await lait(directory, [
    'runs',
    'answer',
    id,
    questions[0].address,
    '--json',
    '{"by":"山田"}',
  ]);
  // The tool is not known here: the answer is kept, and the run is not broken.
  expect([answered.code, answered.stderr]).toEqual([75, expect.stringContaining('cannot go on here')]);
  expect((await lait(directory, ['runs', 'resume', id])).code).toBe(75);
  expect(run('go on')).toMatchObject({ status: 'completed', result: { signed: '山田' } });
  expect(logOf(directory).map((line) => JSON.parse(line))).toEqual([
    { input: { box: 1 }, resume: null },
    { input: { box: 1 }, resume: { by: '山田' } },
  ]);
});
