// Does what a page of the documentation says, in its order: writes the files that it shows, and runs its commands as a
// person who copies them into a shell would. What the page shows below a command must come; `[…]` stands for anything,
// alone on a line for any lines.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files and commands of a page, in order. */
export function actionsOf(page) {
  return [...page.matchAll(/^```(\w+)(?: title="([^"]+)")?\n([\s\S]*?)^```$/gm)].flatMap(
    ([, language, title, text]) => {
      if (title !== undefined) return [{ file: title, text }];
      if (language !== 'console') return [];
      return text
        .split(/^\$ /m)
        .slice(1)
        .map((example) => {
          const end = example.indexOf('\n');
          return { command: example.slice(0, end), output: example.slice(end + 1) };
        });
    },
  );
}

function patternOf(output) {
  const escaped = output.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/^\\\[…\\\]\n/gm, '(?:.*\\n)*?').replaceAll('\\[…\\]', '.*?')}$`);
}

/** Both streams of a command and its exit code. */
function execute(command, directory, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `{ ${command}\n} 2>&1`], {
      cwd: directory,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', reject);
    // A page cannot show that the last line break is missing.
    child.on('close', (code) => resolve({ code, output: output.replace(/(?<=[^\n])$/, '\n') }));
  });
}

/**
 * Follows a page in a directory. `replace`: texts of the page that are another one here, e.g. the address of the model.
 * Gives the commands that ran. Throws at the first command that ends otherwise or says something else than the page.
 */
export async function followPage(file, directory, environment, replace = {}) {
  const page = Object.entries(replace).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(file, 'utf8'),
  );
  const commands = [];
  for (const action of actionsOf(page)) {
    if (action.file !== undefined) {
      mkdirSync(dirname(join(directory, action.file)), { recursive: true });
      writeFileSync(join(directory, action.file), action.text);
      continue;
    }
    const { code, output } = await execute(action.command, directory, environment);
    if (code !== 0) throw new Error(`\`${action.command}\` ended with ${code}:\n${output}`);
    if (!patternOf(action.output).test(output)) {
      throw new Error(`\`${action.command}\` said\n${output}\ninstead of\n${action.output}`);
    }
    commands.push(action.command);
  }
  return commands;
}
