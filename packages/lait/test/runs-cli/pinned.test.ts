import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';
import { says, startModelServer } from '../models/model-server.js';

const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

/** A run that waits between two uses of the same child, agent file and registered agent. */
async function waiting(flags: string[] = []) {
  const server = await startModelServer(says({ content: 'ok', usage }));
  const directory = directoryWith({
    'lait.config.yml': `base_url: "${server.baseUrl}"\ndefault: { model: m }\nagents: { known: agents/known.md }\n`,
    'w.yml': `steps:
  - id: before
    workflow: ./child.yml
  - id: gate
    ask: "Go on?"
  - id: after
    workflow: ./child.yml
  - id: told
    jq: '[$steps.before, $steps.after]'
`,
    'child.yml': 'steps:\n  - agent: ./agents/own.md\n  - agent: known\n  - jq: \'"old child"\'\n',
    'agents/own.md': '---\nname: own\n---\nold own\n',
    'agents/known.md': '---\nname: known\n---\nold known\n',
  });
  const parked = await lait(directory, ['run', 'w.yml', 'x', '--park', ...flags]);
  const systems = () =>
    server.requests.map(({ body }) => (body.messages as { content: string }[])[0]!.content);
  return { directory, parked, systems };
}

it('[waiting.pinned] a run goes on with the children and agents that it began with', async () => {
  const { directory, parked, systems } = await waiting();
  expect(parked.code).toBe(75);
  writeFileSync(join(directory, 'child.yml'), 'steps:\n  - jq: \'"new child"\'\n');
  writeFileSync(join(directory, 'agents/own.md'), '---\nname: own\n---\nnew own\n');
  rmSync(join(directory, 'agents/known.md'));
  const answered = await lait(directory, ['runs', 'answer', 'latest', 'yes']);
  expect([answered.code, JSON.parse(answered.stdout)]).toEqual([0, ['old child', 'old child']]);
  expect(systems()).toEqual(['old own', 'old known', 'old own', 'old known']);

  const again = await lait(directory, ['runs', 'rerun', 'latest', '--no-continue']);
  expect(again.code).toBe(0);
  rmSync(join(directory, 'child.yml'));
  expect((await lait(directory, ['runs', 'resume', 'latest'])).code).toBe(75);
  const repeated = await lait(directory, ['runs', 'answer', 'latest', 'yes']);
  expect([repeated.code, JSON.parse(repeated.stdout)]).toEqual([0, ['old child', 'old child']]);
});

it('[waiting.limits] a run keeps what it may spend, until it is given more', async () => {
  const { directory, parked, systems } = await waiting(['--limit', 'max_model_calls=3']);
  expect(parked.code).toBe(75);
  const answered = await lait(directory, ['runs', 'answer', 'latest', 'yes']);
  expect([answered.code, answered.stderr]).toEqual([1, expect.stringContaining('max_model_calls: 3')]);
  expect(systems()).toHaveLength(3);
  await lait(directory, ['runs', 'rerun', 'latest', '--from', 'after']);
  expect(systems()).toHaveLength(4);
  const more = await lait(directory, [
    'runs',
    'rerun',
    'latest',
    '--from',
    'after',
    '--limit',
    'max_model_calls=9',
  ]);
  expect(more.code).toBe(0);
});
