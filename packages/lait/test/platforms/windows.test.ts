import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteCommand, usualShell } from '../../src/cli/shell-quote.js';
import { loadEnvironment } from '../../src/config/environment.js';
import { loadAgent } from '../../src/dialects/steps/read-agent-file.js';
import { locateProgram } from '../../src/tools/program.js';
import { expandVariables } from '../../src/values/expand-variables.js';
import { plainLineEnds } from '../../src/values/line-ends.js';
import { readVariable } from '../../src/values/read-variable.js';
import { directoryWith, lait } from '../cli/run-lait.js';
import { says, startModelServer } from '../models/model-server.js';

describe('variables on Windows', () => {
  it('[platforms.variables] are found whatever the case of their names, an exact name first', () => {
    const variables = { Path: 'C:\\bin', UserName: 'me' };
    expect(expandVariables('${PATH};${USERNAME}', variables, 'f', 'win32')).toBe('C:\\bin;me');
    expect(() => expandVariables('${PATH}', variables, 'f', 'linux')).toThrow('PATH is not set');
    expect(readVariable({ path: 'a', PATH: 'b' }, 'PATH', 'win32')).toBe('b');
    expect(readVariable(Object.create({ PATH: 'a' }), 'PATH', 'win32')).toBeUndefined();
  });

  it('[platforms.variables] of a .env file do not stand beside those that are set', async () => {
    const workingDirectory = directoryWith({ '.env': 'PATH=C:\\evil\r\nNEW=1\r\n' });
    const inherited = { Path: 'C:\\bin' };
    const load = (platform: NodeJS.Platform) => loadEnvironment({ workingDirectory, inherited, platform });
    expect(await load('win32')).toEqual({ Path: 'C:\\bin', NEW: '1' });
    expect(await load('linux')).toEqual({ Path: 'C:\\bin', PATH: 'C:\\evil', NEW: '1' });
  });
});

describe('programs on Windows', () => {
  const find = (name: string, ...files: string[]) =>
    locateProgram(name, {
      directory: 'C:\\project dir',
      platform: 'win32',
      environment: { PATH: 'C:\\Program Files\\nodejs;C:\\bin', PATHEXT: '.COM;.EXE;.BAT;.CMD' },
      isProgram: (file) => files.includes(file),
    });

  it('[platforms.programs] are found by path with either slash, by drive, and by the endings of PATHEXT in order', () => {
    expect(find('scripts/run', 'C:\\project dir\\scripts\\run.cmd')).toBe(
      'C:\\project dir\\scripts\\run.cmd',
    );
    expect(find('.\\run.exe', 'C:\\project dir\\run.exe')).toBe('C:\\project dir\\run.exe');
    expect(find('D:\\tools\\x.exe', 'D:\\tools\\x.exe')).toBe('D:\\tools\\x.exe');
    expect(find('npm', 'C:\\Program Files\\nodejs\\npm.cmd', 'C:\\bin\\npm.exe')).toBe(
      'C:\\Program Files\\nodejs\\npm.cmd',
    );
    expect(find('npm')).toBeUndefined();
  });

  it('[platforms.programs] of the current directory are not found by a bare name', () => {
    expect(find('git', 'C:\\project dir\\git.exe')).toBeUndefined();
  });
});

describe('commands that are printed', () => {
  it('[platforms.quoting] are for the shell that a person of the platform uses', () => {
    expect(usualShell('linux', {})).toBe('posix');
    expect(usualShell('darwin', { PROMPT: 'x' })).toBe('posix');
    expect(usualShell('win32', { PROMPT: '$P$G' })).toBe('cmd');
    expect(usualShell('win32', {})).toBe('powershell');
    expect(usualShell('win32', { SHELL: '/usr/bin/bash', PROMPT: '$P$G' })).toBe('posix');
  });

  /** What the C runtime of Windows makes of a command line. */
  function split(line: string): string[] {
    const words: string[] = [];
    let word = '';
    let quoted = false;
    for (let index = 0; index < line.length; index += 1) {
      const slashes = /^\\*/.exec(line.slice(index))![0].length;
      if (line[index + slashes] === '"') {
        word += '\\'.repeat(Math.floor(slashes / 2));
        index += slashes;
        if (slashes % 2 === 1) word += '"';
        else if (quoted && line[index + 1] === '"') {
          word += '"';
          index += 1;
        } else quoted = !quoted;
      } else if (slashes > 0) {
        word += '\\'.repeat(slashes);
        index += slashes - 1;
      } else if (line[index] === ' ' && !quoted) {
        words.push(word);
        word = '';
      } else word += line[index];
    }
    return [...words, word];
  }

  it('[platforms.quoting] come out of the argument rules of Windows as they went in', () => {
    const argument = fc
      .array(fc.constantFrom('a', ' ', '\\', '"', "'", '&', '日本', '|', '/', '-', '='))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 3 }), (words) => {
        expect(split(quoteCommand(['lait', ...words], 'cmd'))).toEqual(['lait', ...words]);
      }),
    );
  });
});

it('[platforms.crlf] a problem in a prompt with Windows line ends is shown where it stands', () => {
  const text = '---\r\nname: a\r\n---\r\nLine one\r\n行 2 {{ input\r\n';
  const positions = [text, text.replaceAll('\r\n', '\n')].map((written) => {
    const [problem] = loadAgent({ file: 'a.md', text: written }).diagnostics;
    return [problem!.position!.line, problem!.position!.column];
  });
  expect(positions[0]).toEqual(positions[1]);
  expect(positions[0]![0]).toBe(5);
});

it('[platforms.crlf] places in text with Windows line ends lead back to the file', () => {
  const text = fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', '日')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (original) => {
      const plain = plainLineEnds(original);
      for (let at = 0; at < plain.text.length; at += 1) {
        const character = original.slice(plain.offset(at), plain.offset(at + 1));
        expect(character.replace('\r\n', '\n')).toBe(plain.text[at]);
      }
    }),
  );
});

it('[platforms.crlf] files with Windows line ends mean the same', async () => {
  const server = await startModelServer(says('answer'));
  const files = {
    'lait.config.yml': `# settings\nbase_url: "${server.baseUrl}"\ndefault: { model: mm }\nprompts: { p: p.txt }\nskills: { s: skills/s.md }\n`,
    '.env': '# variables\nGREETING="hello"\n',
    'agents/a.md': '---\nname: a\ntemperature: 0.5\nskills: [s]\n---\nYou are kind.\n\n- short\n',
    'w.yml':
      'steps:\n  - prompt: |\n      Line one\n\n      行 2: {{ input }}\n    system: >\n      folded\n      text\n  - agent: ./agents/a.md\n  - run: [node, -e, "console.log(process.env.G)"]\n    env: { G: "${GREETING}", PATH: "${PATH}" }\n',
    'p.txt': 'Say\n{{ input }}\n',
    'skills/s.md': '---\ndescription: d\n---\n- one\n- two\n',
  };
  const windows = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replaceAll('\n', '\r\n')]),
  );
  const bodies: unknown[] = [];
  for (const written of [files, windows]) {
    const directory = directoryWith(written);
    server.requests.length = 0;
    expect(await lait(directory, ['run', 'w.yml', 'x', '-q'])).toMatchObject({ code: 0, stdout: 'hello\n' });
    expect(await lait(directory, ['prompt', 'run', 'p', 'y'])).toMatchObject({ code: 0 });
    bodies.push(server.requests.map(({ body }) => body));
  }
  expect(bodies[1]).toEqual(bodies[0]);
}, 30_000);
