import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLait } from '../../../src/create-lait.js';
import type { JsonObject } from '../../../src/values/value.js';

const examples = join(import.meta.dirname, '../../../../../examples/graph');

it("the specification's own examples run as written, from recorded replies [graph.seed-examples]", async () => {
  const vault = await mkdtemp(join(tmpdir(), 'lait-vault-'));
  const agent = (name: string) => join(examples, 'agents', `${name}.md`);
  const lait = await createLait({
    config: {
      agents: {
        agent_abc123: agent('planner'),
        drafter: agent('drafter'),
        reviewer: agent('reviewer'),
        writer: agent('writer'),
      },
      capabilities: {
        search_notes: { workflow: join(examples, 'search-notes.yml'), read_only: true },
        vault_write_file: { root: vault },
      },
    },
    replayDirectory: join(examples, 'recordings'),
  });
  const graph = JSON.parse(await readFile(join(examples, 'write-note.json'), 'utf8')) as JsonObject;
  expect(await lait.checkGraph(graph)).toMatchObject({ valid: true });
  const { plan } = await lait.load(join(examples, 'write-note.json'));
  const runs = await lait.runs();
  const inputs = { task: 'Tell users where the export went.', topic: 'export', output_path: 'a/export.md' };
  const { run_id, status } = await runs.create(plan, { inputs });
  expect(status).toBe('waiting_approval');
  await runs.approve(run_id);
  expect((await runs.drive(run_id)).status).toBe('waiting_hitl');
  await runs.answer(run_id, true);
  expect((await runs.drive(run_id)).status).toBe('completed');
  const { nodes } = await runs.view(run_id);
  expect(nodes.find(({ node_id }) => node_id === 'improve')!.output).toMatchObject({
    iterations: 2,
    exit_reason: 'condition_satisfied',
  });
  expect(await readFile(join(vault, 'a/export.md'), 'utf8')).toContain('export button');
});

it('every example graph is valid', async () => {
  const lait = await createLait({ config: join(examples, 'lait.config.yml') });
  for (const name of (await readdir(examples)).filter(
    (file) => file.endsWith('.json') && file !== 'answers.json',
  )) {
    const graph = JSON.parse(await readFile(join(examples, name), 'utf8')) as JsonObject;
    const { issues } = await lait.checkGraph(graph);
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
});
