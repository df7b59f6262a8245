import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { commandList } from '../../src/cli/command-list.js';
import { sideBySide, wrap } from '../../src/cli/compare/side-by-side.js';
import { HistoryFile } from '../../src/cli/history/history-file.js';
import { manual } from '../../src/cli/man/man-command.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import { type Answer, json, says, startModelServer } from '../models/model-server.js';
import { directoryWith, lait } from './run-lait.js';

/** Answers with the name of the model that is asked. */
const named: Answer = (response, request) =>
  request.body.model === 'broken'
    ? json({ error: { message: 'no such model' } }, 404)(response, request)
    : says({
        content: `${request.body.model}: 緑`,
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      })(response, request);

describe('a home that is no directory', () => {
  it.each([['history clear'], ['trust']])('is told by `lait %s` as what it is', async (command) => {
    const directory = directoryWith({ 'lait.config.yml': 'api_key_cmd: [echo, key]\n', home: 'a file' });
    const HOME = join(directory, 'home');
    const told = await lait(directory, command.split(' '), { env: { HOME, XDG_STATE_HOME: '' } });
    expect(told.code).toBe(1);
    expect(told.stderr).toMatch(/^lait: cannot write .*home\/\.local\/state\/lait\/.*not a directory$/m);
  });
});

describe('lait history', () => {
  it('[history.kept] keeps requests and runs where it is asked for, masked, and forgets them', async () => {
    const server = await startModelServer(named);
    const HOME = directoryWith({});
    const directory = directoryWith({
      'lait.config.yml': `base_url: "${server.baseUrl}"\napi_key: "\${KEY}"\ndefault: { model: mm, history: true }\n`,
      'w.yml': 'steps: [{ jq: . }]\n',
    });
    const env = { HOME, KEY: 'very-secret-key' };
    await lait(directory, ['chat', 'What is very-secret-key?'], { env });
    await lait(directory, ['run', 'w.yml', '日本'], { env });
    await lait(directory, ['run', 'w.yml', 'hidden', '--no-history'], { env });
    await lait(directory, ['run', 'missing.yml', 'x'], { env });
    const listed = await lait(directory, ['history', '--json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      {
        number: 3,
        command: 'chat',
        name: 'the default model',
        prompt: 'What is [REDACTED]?',
        answer: 'mm: 緑',
        exit_code: 0,
      },
      { number: 2, command: 'run', name: 'w.yml', prompt: '日本', answer: null },
      { number: 1, name: 'missing.yml', exit_code: 2 },
    ]);
    expect((await lait(directory, ['history', 'list', '--search', '日本'], { env })).stdout).toMatch(
      /^2 {2}.*run w\.yml {2}日本\n$/,
    );
    expect((await lait(directory, ['history', 'show', '3'], { env })).stdout).toContain('\nmm: 緑\n');
    expect(await lait(directory, ['history', 'show', '9'], { env })).toMatchObject({ code: 2 });
    expect(statSync(join(HOME, '.local/state/lait/history.jsonl')).mode & 0o077).toBe(0);
    await lait(directory, ['history', 'clear'], { env });
    expect((await lait(directory, ['history', '--json'], { env })).stdout).toBe('[]\n');
  }, 40_000);

  it('[history.kept] nothing is kept otherwise', async () => {
    const HOME = directoryWith({});
    const directory = directoryWith({ 'w.yml': 'steps: [{ jq: . }]\n' });
    expect(await lait(directory, ['run', 'w.yml', 'x'], { env: { HOME } })).toMatchObject({ code: 0 });
    expect(existsSync(join(HOME, '.local'))).toBe(false);
  });

  it('[history.bounded] is cut to its newest entries when it grows large, and survives broken lines', async () => {
    const history = new HistoryFile({ XDG_STATE_HOME: directoryWith({}) });
    const entry = {
      at: '2026-01-01T00:00:00.000Z',
      command: 'chat',
      directory: '/',
      name: 'm',
      answer: null,
      exit_code: 0,
      duration_ms: 1,
    } as const;
    for (let index = 0; index < 300; index += 1) {
      await history.add({ ...entry, prompt: `${index} ${'x'.repeat(16_000)}` }, new SecretRegistry());
    }
    expect(statSync(history.path).size).toBeLessThan(4.3 * 1024 * 1024);
    const kept = await history.read();
    expect(kept.at(-1)!.prompt).toMatch(/^299 /);
    expect(kept.length).toBeLessThan(300);
  });
});

describe('lait sessions', () => {
  it('[sessions.managed] lists, shows and removes the conversations of a directory', async () => {
    const server = await startModelServer(named);
    const directory = directoryWith({
      'lait.config.yml': `base_url: "${server.baseUrl}"\ndefault: { model: mm }\n`,
      '.lait/sessions/damaged.json': '{',
    });
    await lait(directory, ['chat', 'Plan it', '--session', '.lait/sessions/plan.json']);
    const listed = await lait(directory, ['sessions']);
    expect(listed.stdout).toMatch(/^plan {2}\S+ \S+ {2}2 messages {2}Plan it\n$/);
    expect(listed.stderr).toContain('damaged.json is no session file');
    expect((await lait(directory, ['sessions', 'show', 'plan'])).stdout).toBe(
      'user:\nPlan it\n\nassistant:\nmm: 緑\n',
    );
    expect(await lait(directory, ['sessions', 'rm', 'plan', '../../lait.config'])).toMatchObject({ code: 2 });
    expect(await lait(directory, ['sessions', 'rm', 'plan'])).toMatchObject({ code: 0 });
    expect(readdirSync(join(directory, '.lait/sessions'))).toEqual(['damaged.json']);
  }, 30_000);
});

describe('lait prompt', () => {
  it('[prompts.run] fills a template in and asks; what is missing or unknown is refused before', async () => {
    const server = await startModelServer(named);
    const directory = directoryWith({
      'lait.config.yml': `base_url: "${server.baseUrl}"\ndefault: { model: mm }\nprompts: { translate: prompts/translate.txt }\n`,
      'prompts/translate.txt': 'To {{ inputs.lang }}:\n{{ input }}\n',
    });
    const ran = await lait(
      directory,
      ['prompt', 'run', 'translate', '--input', 'lang=日本語', '--system', 'terse'],
      { stdin: 'Hello 👋\n' },
    );
    expect(ran).toMatchObject({ code: 0, stdout: 'mm: 緑\n' });
    expect(server.requests[0]!.body.messages).toEqual([
      { role: 'system', content: 'terse' },
      { role: 'user', content: 'To 日本語:\nHello 👋' },
    ]);
    for (const args of [['x'], ['x', '--input', 'lang=a', '--input', 'other=b'], ['--input', 'lang=a']]) {
      const refused = await lait(directory, ['prompt', 'run', 'translate', ...args]);
      expect([args, refused.code]).toEqual([args, 2]);
    }
    expect(server.requests).toHaveLength(1);
    expect((await lait(directory, ['prompt', 'list'])).stdout).toBe(
      'translate  prompts/translate.txt  To {{ inputs.lang }}:\n',
    );
  }, 30_000);
});

describe('lait compare', () => {
  it('[compare.answers] asks all models the same; one that fails stops no other', async () => {
    const server = await startModelServer(named);
    const directory = directoryWith({ 'lait.config.yml': `base_url: "${server.baseUrl}"\n` });
    const both = await lait(directory, [
      'compare',
      'Which colour?',
      '--model',
      'a',
      '--model',
      'b',
      '--json',
    ]);
    expect(both.code).toBe(0);
    expect(JSON.parse(both.stdout)).toMatchObject([
      { model: 'a', content: 'a: 緑', error: null, usage: { total_tokens: 5 }, cost: null },
      { model: 'b', content: 'b: 緑' },
    ]);
    expect(server.requests.map(({ body }) => body.messages)).toEqual(
      Array(2).fill([{ role: 'user', content: 'Which colour?' }]),
    );
    const broken = await lait(directory, ['compare', 'x', '--model', 'broken', '--model', 'b']);
    expect(broken.code).toBe(4);
    expect(broken.stdout).toMatch(
      /^=== broken · .*\nfailed: .*no such model\n\n=== b · [\d.]+ s · 5 tokens\nb: 緑\n$/,
    );
    expect(await lait(directory, ['compare', 'x', '--model', 'a'])).toMatchObject({ code: 2 });
  }, 30_000);

  it('[terminal.width] columns hold their width whatever is in them, and nothing of the texts is lost', () => {
    const text = fc
      .array(fc.constantFrom('word ', '日本語', '👩‍👩‍👧', '\n', 'é', ' ', 'x'.repeat(50)), { maxLength: 30 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, fc.integer({ min: 62, max: 160 }), (left, right, columns) => {
        const shown = sideBySide(
          [
            { title: 'a', text: left },
            { title: 'b', text: right },
          ],
          columns,
        );
        for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        const letters = (value: string) => [...value.replace(/\s/g, '')].sort().join('');
        expect(letters(shown.replace(/─+/g, ''))).toBe(letters(`a${left}b${right}`));
      }),
    );
    for (const line of wrap('日本語のとても長い文'.repeat(5), 31))
      expect(stringWidth(line)).toBeLessThanOrEqual(31);
  });

  it('[terminal.width] texts stand below each other on a narrow terminal', () => {
    expect(
      sideBySide(
        [
          { title: 'a', text: '1' },
          { title: 'b', text: '2' },
        ],
        40,
      ),
    ).toBe('=== a\n1\n\n=== b\n2\n');
  });
});

describe('lait man', () => {
  const page = async (name?: string) => {
    const written: string[] = [];
    await manual(name, { output: { write: async (text: string) => written.push(text) } } as never);
    return written.join('');
  };
  const groff = spawnSync('groff', ['--version']).status === 0;

  it.each(['', ...Object.keys(commandList).filter((name) => commandList[name]!.hidden !== true)])(
    '[man.pages] the page of "%s" is ASCII, and roff takes it without a warning',
    async (name) => {
      const text = await page(name === '' ? undefined : name);
      expect(text).toMatch(/^[\n\x20-\x7e]*$/);
      expect(text).toContain(`.SH NAME\nlait${name === '' ? '' : `\\-${name}`} \\- `);
      if (!groff) return;
      const { stderr, stdout } = spawnSync('groff', ['-man', '-t', '-ww', '-Tutf8', '-P-cbou'], {
        input: text,
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(stdout).toContain(name === '' ? 'lait lint' : `lait ${name}`);
    },
  );

  it('[man.pages] names every option of a command, and refuses a command that is none', async () => {
    const text = await page('run');
    for (const option of ['--limit <name=value>', '--checkpoint', '--config <path>', '--trust']) {
      expect(text).toContain(option.replaceAll('-', '\\-'));
    }
    await expect(page('rnu')).rejects.toThrow("no command 'rnu'");
  });
});

it('[help.examples] every command has an example in its help', async () => {
  const { Command } = await import('commander');
  const hasExample = (command: InstanceType<typeof Command>) => {
    const shown: string[] = [];
    command.configureOutput({ writeOut: (text) => shown.push(text) }).outputHelp();
    return /Examples?:\n {2}\S/.test(shown.join(''));
  };
  for (const [name, { hidden, load }] of Object.entries(commandList)) {
    if (hidden === true) continue;
    const command = new Command(name);
    (await load()).configure(command, async () => {});
    const shown = hasExample(command) || (command.commands.length > 0 && command.commands.every(hasExample));
    expect([name, shown]).toEqual([name, true]);
  }
});
