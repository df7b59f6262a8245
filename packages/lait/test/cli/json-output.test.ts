import { expect, it } from 'vitest';
import { directoryWith, lait } from './run-lait.js';

const directory = directoryWith({
  'good.yml': 'steps:\n  - jq: .\n',
  'bad.yml': 'steps:\n  - jq: "["\n',
  'fails.yml': 'steps:\n  - run: ["false"]\n',
  'lait.config.yml': 'base_url: http://127.0.0.1:9/v1\ndefault: { model: m }\n',
});

const json = ['--json'];
const format = ['--format', 'json'];

it.each([
  [0, ['run', 'good.yml', 'x', ...json]],
  [0, ['run', 'good.yml', 'x', '--dry-run', ...json]],
  [3, ['run', 'bad.yml', 'x', ...json]],
  [2, ['run', 'none.yml', 'x', ...json]],
  [1, ['run', 'fails.yml', 'x', ...json]],
  [2, ['run', 'good.yml', 'x', '--no-such-option', ...json]],
  [2, ['run', 'good.yml', '--resume', 'none', ...json]],
  [4, ['chat', 'hi', ...json]],
  [4, ['hi there', ...json]],
  [0, ['lint', 'good.yml', ...format]],
  [3, ['lint', 'bad.yml', ...format]],
  [3, ['lint', 'none.yml', ...format]],
  [2, ['lint', 'good.yml', ...json]],
  [2, ['test', 'none.yml', '--format=json']],
  [0, ['runs', 'list', ...json]],
  [2, ['runs', 'show', 'none', ...json]],
  [2, ['runs', 'events', 'none', ...json]],
  [2, ['runs', 'resume', 'none', ...json]],
  [0, ['models', ...json]],
  [4, ['models', '--remote', ...json]],
  [2, ['prompt', 'run', 'none', ...json]],
  [0, ['workflow', 'list', ...json]],
  [2, ['trace', 'show', 'none', ...json]],
  [2, ['no-such-command', '--no-such-option', ...json]],
] as const)(
  'exit code %i leaves one JSON document on standard output: %j [cli.json-pure]',
  async (code, args) => {
    const ended = await lait(directory, args);
    const document = JSON.parse(ended.stdout);
    expect(ended.code).toBe(code);
    // A command that could not do its work says why; one that found problems gives its report.
    if (code !== 0 && !(args[0] === 'lint' && code === 3)) {
      expect(document.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
      expect(ended.stderr).toMatch(/^lait: /m);
    }
  },
);

it('an answer that is JSON is no wish for JSON', async () => {
  const { code, stdout } = await lait(directory, ['runs', 'answer', 'none', 'address', '--json', '{}']);
  expect([code, stdout]).toEqual([2, '']);
});
