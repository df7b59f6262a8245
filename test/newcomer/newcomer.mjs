// A newcomer with nothing but the documentation: follows docs/tutorial.md of an installed package.
//   node test/newcomer/newcomer.mjs DIRECTORY       (where `npm install lait` was run)
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { followPage } from './follow-page.mjs';
import { startModelServer } from './model-server.mjs';

/** Follows the tutorial with what is installed below a directory. Gives how many commands it ran. */
export async function followTutorial(installed, node = process.execPath) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'lait-newcomer-')));
  const modules = join(installed, 'node_modules');
  const environment = {
    PATH: `${dirname(node)}:${join(modules, '.bin')}:${process.env.PATH}`,
    HOME: directory,
  };
  const model = await startModelServer();
  try {
    const page = join(modules, 'lait', 'docs', 'tutorial.md');
    const commands = await followPage(page, directory, environment, {
      'http://localhost:1234/v1': model.baseUrl,
    });
    // One for the first workflow, one for the second, two with the tool, two for its test, one for the resumed run.
    if (model.state.requests !== 7) throw new Error(`the model was asked ${model.state.requests} times`);
    return commands.length;
  } finally {
    await model.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const count = await followTutorial(process.argv[2]);
  console.log(`newcomer: ${count} commands of docs/tutorial.md do what the page says`);
}
