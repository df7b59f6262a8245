import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, startModelServer } from '../models/model-server.js';
import { directoryWith, lait } from './run-lait.js';

const secret = `abc'def<&>"/\\ 日本`;

/** What a workflow makes of a secret, and a text that gives it away. */
const forms = {
  '.': secret,
  '@base64': Buffer.from(secret).toString('base64'),
  '@base32': 'MFRGGJ3EMVTDYJR6EIXVYIHGS6S6NHFM',
  'ascii_upcase | @base64': Buffer.from(secret.toUpperCase()).toString('base64'),
  ascii_upcase: "ABC'DEF",
  '@uri': '%22%2F%5C%20%E6%97%A5',
  '@html': '&quot;/\\ 日本',
  '@sh': "'\\''def",
  '@json': '\\"/\\\\ 日本',
  'tojson | tojson': '\\\\\\"/',
  '{key: .} | tojson | @base64': 'ZGVmPCY+XCIvXFwg',
  '[.] | @csv': `""/\\ 日本`,
  '.[:6] + "\\n" + .[6:]': 'f<&>"/',
  'explode | reverse | implode': "fed'cba",
  '"user:\\(.)" | @base64': 'MnZGVmPCY+Ii9cIOaXpeac',
};

/** Every file below a directory, with its content. */
function contents(directory: string): [path: string, text: string][] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(directory, path)).isFile())
    .map((path) => [path, readFileSync(join(directory, path), 'utf8')]);
}

describe('secrets of the environment [secrets.masked]', () => {
  it('passwords in addresses are hidden by themselves, and come back when a run goes on', async () => {
    const server = await startModelServer(says('ok'));
    const own = server.baseUrl.replace('//', '//me:conf@');
    const directory = directoryWith({
      'lait.config.yml': `base_url: ${own}\ndefault: { model: m }\nserver: { database: "postgres://me:\${PG}@host/x" }\n`,
      'w.yml':
        'steps:\n  - run: [sh, -c, \'printf "%s" "$DATABASE_URL"\']\n' +
        '  - id: parts\n    jq: \'{url: ., host: "db.example", password: (split(":")[2] | split("@")[0])}\'\n' +
        '  - run: [sh, -c, "cat >&2; echo conf pgpg postgres >&2; [ -e open ] && printf %s \\"$DATABASE_URL\\""]\n',
    });
    const url = 'postgres://postgres:pa%40ssw%C3%B6rt@db.example/x';
    const env = { DATABASE_URL: url, PG: 'pgpg', REDIS_URL: 'redis://redis:redis@localhost' };
    const failed = await lait(directory, ['run', 'w.yml', 'x', '--checkpoint'], { env });
    expect(failed.code).toBe(1);
    for (const [path, text] of [['stderr', failed.stderr], ...contents(join(directory, '.lait'))])
      for (const hidden of ['pa%40ssw', 'pa@ssw', 'conf pgpg'])
        expect([path, text!.includes(hidden)]).toEqual([path, false]);
    // A password that is the name of its user is no secret.
    expect(failed.stderr).toContain('[REDACTED] [REDACTED] postgres');
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest', '-q'], { env });
    expect([resumed.code, resumed.stdout]).toEqual([0, `${url}\n`]);
  });

  it.each([
    ['inherited', '--checkpoint', ''],
    ['inherited', '--park', ''],
    ['handed over', '--checkpoint', '    env: { DEPLOY_TOKEN: "${DEPLOY_TOKEN}", PATH: "${PATH}" }\n'],
  ])('are in no file and no output in any form (%s, %s)', async (_, record, env) => {
    const server = await startModelServer((response, request) => {
      const { content } = (request.body.messages as { content: string }[]).at(-1)!;
      return says({ content: `You said: ${content}` })(response, request);
    });
    const directory = directoryWith({
      'lait.config.yml': `base_url: ${server.baseUrl}\ndefault: { model: m }\n`,
      'w.yml':
        `steps:\n  - run: [sh, -c, 'printf %s "$DEPLOY_TOKEN"']\n${env}` +
        `  - id: forms\n    jq: ${JSON.stringify(
          `[${Object.keys(forms)
            .map((form) => `(${form})`)
            .join(', ')}]`,
        )}\n` +
        `  - prompt: "{{#each input}}{{ this }} {{ json this }}\\n{{/each}}"\n` +
        `  - run: [sh, -c, 'cat >&2; exit 1']\n`,
    });
    const args = ['run', 'w.yml', 'x', record, '--trace-file', 'trace.jsonl', '--record', 'replies', '-vv'];
    const env_ = { DEPLOY_TOKEN: secret };
    const { code, stdout, stderr } = await lait(directory, [...args, '--json'], { env: env_ });

    expect(code).toBe(1);
    // The model got it: nothing is hidden from where it is to go.
    const sent = (server.requests[0]!.body.messages as { content: string }[]).at(-1)!.content;
    for (const form of Object.values(forms)) expect(sent).toContain(form);

    const written: [string, string][] = [
      ...contents(directory).filter(([path]) => path !== 'w.yml'),
      ['stdout', stdout],
      ['stderr', stderr],
    ];
    expect(written.map(([path]) => path.split(/[/.]/)[0])).toEqual(
      expect.arrayContaining(['', 'replies', 'trace', 'stdout', 'stderr']),
    );
    for (const [path, text] of written) {
      for (const [form, giveaway] of Object.entries(forms)) {
        // A file holds texts as JSON.
        for (const shown of [giveaway, JSON.stringify(giveaway).slice(1, -1)]) {
          expect(text.includes(shown), `${path} holds the secret after ${form}`).toBe(false);
        }
      }
    }
    expect(stderr).toContain('[REDACTED]');
  });
});
