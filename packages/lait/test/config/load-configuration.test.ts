import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEnvironment } from '../../src/config/environment.js';
import { loadConfiguration } from '../../src/config/load-configuration.js';
import { DefinitionError } from '../../src/errors/errors.js';

function place(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'lait-config-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const load = (root: string, below = 'work', file?: string | false) =>
  loadConfiguration({
    workingDirectory: join(root, below),
    variables: { HOME: join(root, 'home'), XDG_CONFIG_HOME: join(root, 'home', 'settings') },
    file,
  });

test('the nearest file upwards lies over the global one', async () => {
  const root = place({
    'work/deep/er/k': '',
    'work/lait.config.yml': 'base_url: http://project\nworkflows: { a: flows/a.yml }\n',
    'lait.config.yml': 'base_url: http://farther\n',
    'home/settings/lait/config.yml':
      'base_url: http://global\ndefault: { model: g }\nworkflows: { a: x.yml, b: flows/b.yml }\n',
  });
  const { values, files } = await load(root, 'work/deep/er');
  expect(files).toEqual([join(root, 'work/lait.config.yml'), join(root, 'home/settings/lait/config.yml')]);
  expect(values).toEqual({
    base_url: 'http://project',
    default: { model: 'g' },
    workflows: { a: join(root, 'work/flows/a.yml'), b: join(root, 'home/settings/lait/flows/b.yml') },
  });
});

test('without XDG_CONFIG_HOME the global file is below ~/.config', async () => {
  const root = place({ 'work/k': '', 'home/.config/lait/config.yml': 'base_url: http://global\n' });
  const variables = { HOME: join(root, 'home') };
  const { values } = await loadConfiguration({ workingDirectory: join(root, 'work'), variables });
  expect(values.base_url).toBe('http://global');
});

test('a named file is read alone, and none at all when asked', async () => {
  const root = place({
    'work/lait.config.yml': 'base_url: http://project\n',
    'work/other.yml': 'default: { model: o }\n',
    'home/settings/lait/config.yml': 'base_url: http://global\n',
  });
  expect((await load(root, 'work', 'other.yml')).values).toEqual({ default: { model: 'o' } });
  expect(await load(root, 'work', false)).toEqual({ values: {}, files: [] });
  await expect(load(root, 'work', 'absent.yml')).rejects.toMatchObject({
    category: 'usage',
    message: expect.stringContaining('absent.yml'),
  });
});

test.each(['', '# only a comment\n\n', 'models: {}\n'])(
  'an empty configuration is fine: %j',
  async (text) => {
    const root = place({ 'work/lait.config.yml': text });
    expect((await load(root)).files).toHaveLength(1);
  },
);

test('[config.all-problems] every problem is reported with its place and a repair', async () => {
  const text = [
    'base_ulr: http://x',
    'api_key: a',
    'api_key_cmd: echo b',
    'default: { temperature: 3, modle: x }',
    'models:',
    '  main: [ { provider: { api_key: k, api_key_cmd: [echo, k] } } ]',
    'mcp_servers:',
    '  both: { command: x, url: http://y }',
    '  none: {}',
    '  odd: { url: http://y, args: [a] }',
    'tools:',
    '  t: { command: [], parameters: { type: object, required: yes } }',
    '__proto__: {}',
    '',
  ].join('\n');
  const root = place({ 'work/lait.config.yml': text });
  const error: unknown = await load(root).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(DefinitionError);
  expect(error).toMatchObject({ category: 'definition', code: 'configuration_invalid' });
  const found = (error as DefinitionError).diagnostics.map(({ position, message }) => [
    position?.line,
    message,
  ]);
  const about = (line: number, word: string) =>
    found.some(([at, message]) => at === line && String(message).includes(word));
  const expected: [number, string][] = [
    [1, 'base_ulr'],
    [3, 'api_key_cmd exclude'],
    [4, 'temperature'],
    [4, 'modle'],
    [6, 'model_id'],
    [6, 'api_key_cmd exclude'],
    [8, 'exclude each other'],
    [9, 'needs a command or a url'],
    [10, "'args' needs 'command'"],
    [12, 'command'],
    [12, 'required'],
    [13, '__proto__'],
  ];
  for (const [line, word] of expected) expect([line, word, about(line, word)]).toEqual([line, word, true]);
  expect((error as DefinitionError).diagnostics[0]!.hint).toBe("did you mean 'base_url'?");
});

test('a file that cannot be read is never taken for a missing one', async () => {
  const root = place({ 'work/k': '', 'home/settings/lait/k': '' });
  mkdirSync(join(root, 'work/lait.config.yml'));
  await expect(load(root)).rejects.toMatchObject({ category: 'definition', code: 'file_unreadable' });
  const other = place({ 'work/k': '' });
  symlinkSync('lait.config.yml', join(other, 'work/lait.config.yml'));
  await expect(load(other)).rejects.toMatchObject({ code: 'file_unreadable' });
});

test('[config.dotenv-fills] .env fills only what is not set, and a directory of that name is left alone', async () => {
  const root = place({ '.env': 'A=file\nB=file\nEMPTY=file\n' });
  const inherited = { A: 'set', EMPTY: '' };
  const variables = await loadEnvironment({ workingDirectory: root, inherited });
  expect({ ...variables }).toEqual({ A: 'set', B: 'file', EMPTY: '' });
  expect(await loadEnvironment({ workingDirectory: root, inherited, dotenv: false })).toBe(inherited);
  const other = place({ '.env/bin/activate': '' });
  expect(await loadEnvironment({ workingDirectory: other, inherited })).toBe(inherited);
});
