// Runs write-note.json: approves it, answers its question, shows what happened and the note that was written.
// Run it with: node examples/graph/write-note.mjs
// The model replies come from examples/graph/recordings, so no model is needed. Give --live to ask the server of
// lait.config.yml, or --record to ask it and keep its replies.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLait } from 'lait';

const here = fileURLToPath(new URL('.', import.meta.url));
const recordings = join(here, 'recordings');
const vault = join(here, '.lait', 'vault');
const mode = process.argv[2];
rmSync(vault, { recursive: true, force: true });

const lait = await createLait({
  config: join(here, 'lait.config.yml'),
  workingDirectory: here,
  ...(mode === '--live'
    ? {}
    : mode === '--record'
      ? { recordDirectory: recordings }
      : { replayDirectory: recordings }),
});

const graph = JSON.parse(readFileSync(join(here, 'write-note.json'), 'utf8'));
const { valid, issues } = await lait.checkGraph(graph);
console.log(`valid: ${valid}`);
for (const { severity, code, message } of issues) console.log(`  ${severity} ${code}: ${message}`);

const runs = await lait.runs();
const { plan } = await lait.load('write-note.json');
const inputs = { task: 'Tell users where the export went.', topic: 'export', output_path: 'export.md' };
const { run_id, status } = await runs.create(plan, { inputs });
console.log(status);

await runs.approve(run_id);
const waiting = await runs.drive(run_id);
console.log(`${waiting.status}: ${waiting.questions[0]?.question.text ?? waiting.error_summary}`);

await runs.answer(run_id, true);
const ended = await runs.drive(run_id);
console.log(`${ended.status}: ${ended.error_summary ?? ended.result_summary}`);

const { nodes } = await runs.view(run_id);
for (const { node_id, attempt, status } of nodes) console.log(`  ${node_id} ${attempt} ${status}`);
console.log(`\n${readFileSync(join(vault, inputs.output_path), 'utf8')}`);
await lait.close();
