// Uses lait as a library. Run it with: node examples/library/release-notes.mjs
// The model replies come from examples/library/recordings, so no model is needed. Give --live to ask the
// model of workflow.yml, or --record to ask it and keep its replies.
import { fileURLToPath } from 'node:url';
import { createLait, isLaitError, ProgressLines } from 'lait';

const here = fileURLToPath(new URL('.', import.meta.url));
const recordings = fileURLToPath(new URL('recordings', import.meta.url));
const mode = process.argv[2];

const lait = await createLait({
  config: false,
  workingDirectory: here,
  ...(mode === '--live'
    ? {}
    : mode === '--record'
      ? { recordDirectory: recordings }
      : { replayDirectory: recordings }),
});

// Ctrl-C cancels the run and everything it started.
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());

try {
  const workflow = await lait.load('workflow.yml');
  const progress = new ProgressLines();
  const result = await workflow.run({
    inputs: { commits: ['Add dark mode', 'Fix crash when a file is empty', 'Update dependencies'] },
    signal: controller.signal,
    onEvent: (event) => {
      for (const line of progress.lines(event)) console.error(line);
    },
  });
  if (result.status === 'completed') {
    console.log(result.value.notes);
    console.log(result.value.counts);
  }
} catch (error) {
  if (!isLaitError(error)) throw error;
  console.error(`${error.category} (${error.code}): ${error.message}`);
  process.exitCode = 1;
} finally {
  await lait.close();
}
