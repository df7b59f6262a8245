import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { powersOf, powersOfVariables } from '../../src/config/powers.js';
import { readConfiguration } from '../../src/config/read-configuration.js';
import { says, startModelServer } from '../models/model-server.js';
import { directoryWith, lait, until } from './run-lait.js';

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
const hasScript = spawnSync('script', ['--version']).status === 0;

async function project(more = '') {
  const server = await startModelServer(says('answer'));
  const directory = directoryWith({
    'lait.config.yml': `base_url: "${server.baseUrl}"\ndefault: { model: m }\napi_key_cmd: [sh, -c, "touch ran.txt; echo key"]\n${more}`,
    'w.yml': 'steps: [{ prompt: hi }]\n',
  });
  const env = { LAIT_TRUST: '', HOME: directoryWith({}) };
  const ran = () => {
    try {
      readFileSync(join(directory, 'ran.txt'));
      return true;
    } catch {
      return false;
    }
  };
  return { server, directory, env, ran };
}

describe('a configuration that was never trusted', () => {
  it('[trust.warns] is used without a terminal, and warned of once until it may do more', async () => {
    const { directory, env } = await project();
    const run = () => lait(directory, ['run', 'w.yml', 'x', '-q'], { env });
    const first = await run();
    expect(first).toMatchObject({ code: 0, stdout: 'answer\n' });
    expect(first.stderr).toContain(
      `warning: ${join(directory, 'lait.config.yml')} was never trusted and runs sh -c "touch ran.txt; echo key" for a key (api_key_cmd)`,
    );
    expect((await run()).stderr).toBe('');
    writeFileSync(
      join(directory, 'lait.config.yml'),
      `${readFileSync(join(directory, 'lait.config.yml'))}tools: { t: { command: [rm] } }\n`,
    );
    expect((await run()).stderr).toContain('and 1 more');
  }, 30_000);

  it('[trust.never] is refused with trust: never, before anything runs, unless it was trusted', async () => {
    const { directory, env, ran, server } = await project();
    const HOME = directoryWith({ '.config/lait/config.yml': 'trust: never\n' });
    const own = { ...env, HOME };
    for (const args of [['run', 'w.yml', 'x'], ['chat', 'x'], ['doctor'], ['models', '--remote']]) {
      const refused = await lait(directory, args, { env: own });
      expect([args[0], refused.code === 0, ran(), server.requests.length]).toEqual([
        args[0],
        false,
        false,
        0,
      ]);
      expect(refused.stderr + refused.stdout).toContain('is not trusted');
    }
    // What runs nothing needs no trust.
    expect((await lait(directory, ['lint', 'w.yml'], { env: own })).code).toBe(0);
    expect((await lait(directory, ['run', 'w.yml', 'x', '--dry-run'], { env: own })).code).toBe(0);

    const shown = await lait(directory, ['trust', '--show'], { env: own });
    expect(shown.stdout).toBe('  api_key_cmd: runs sh -c "touch ran.txt; echo key" for a key\n');
    expect(shown.stderr).toContain('is not trusted');
    expect((await lait(directory, ['trust'], { env: own })).code).toBe(0);
    expect(await lait(directory, ['run', 'w.yml', 'x', '-q'], { env: own })).toMatchObject({
      code: 0,
      stderr: '',
    });
    await lait(directory, ['trust', '--revoke'], { env: own });
    expect((await lait(directory, ['run', 'w.yml', 'x'], { env: own })).code).toBe(2);
    expect((await lait(directory, ['run', 'w.yml', 'x', '--trust'], { env: own })).code).toBe(0);
  }, 60_000);

  it('[trust.own] cannot say itself that it is trusted, nor can its .env', async () => {
    const { directory, env, ran } = await project();
    const HOME = directoryWith({
      '.config/lait/config.yml': 'trust: never\n',
      'evil/lait/config.yml': 'trust: always\n',
    });
    const text = readFileSync(join(directory, 'lait.config.yml'), 'utf8');
    writeFileSync(join(directory, 'lait.config.yml'), `${text}trust: always\n`);
    expect(await lait(directory, ['run', 'w.yml', 'x'], { env: { ...env, HOME } })).toMatchObject({
      code: 3,
    });
    writeFileSync(join(directory, 'lait.config.yml'), text);
    const { LAIT_TRUST: _, ...without } = env;
    writeFileSync(
      join(directory, '.env'),
      `LAIT_TRUST=1\nXDG_CONFIG_HOME=${HOME}/evil\nXDG_STATE_HOME=${HOME}/evil\n`,
    );
    const refused = await lait(directory, ['run', 'w.yml', 'x'], {
      env: { ...without, HOME, LAIT_TRUST: '' },
    });
    expect([refused.code, ran()]).toEqual([2, false]);
  }, 30_000);

  it.runIf(hasScript)(
    '[trust.asks] is asked about on a terminal, and the answer is kept',
    async () => {
      const { directory, env, ran } = await project();
      const onTerminal = async (answer: string) => {
        const child = spawn(
          'script',
          ['-qec', `${process.execPath} ${launcher} run w.yml x -q`, '/dev/null'],
          {
            cwd: directory,
            env: { PATH: process.env.PATH, TERM: 'dumb', ...env },
          },
        );
        let seen = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          seen += text;
        });
        const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
        if (answer !== '') {
          await until(() => seen.includes('> '));
          child.stdin.write(`${answer}\n`);
        }
        const code = await ended;
        return { code, seen };
      };
      const refused = await onTerminal('no');
      expect(refused.seen).toContain('api_key_cmd: runs sh -c');
      expect([refused.code, ran()]).toEqual([2, false]);
      expect(await onTerminal('once')).toMatchObject({ code: 0 });
      expect(ran()).toBe(true);
      expect(await onTerminal('yes')).toMatchObject({ code: 0 });
      const again = await onTerminal('');
      expect(again.code).toBe(0);
      expect(again.seen).not.toContain('Trust it?');
    },
    60_000,
  );
});

describe('what a configuration may do', () => {
  const powers = (text: string) =>
    powersOf(readConfiguration({ file: 'c', text }, '/')).map(({ place, does }) => `${place}: ${does}`);

  it('[trust.powers] is every program it starts and every server beyond this machine, with what goes there', () => {
    expect(
      powers(`base_url: https://api.example.com/v1
api_key: \${TEAM_KEY}
models:
  a: [{ model_id: m, provider: { base_url: "http://localhost:1/v1", api_key_cmd: "pass show a" } }]
  b: [{ model_id: m, provider: { base_url: "https://b.example/v1", headers: { X: "\${B_TOKEN}" } } }]
mcp_servers:
  files: { command: npx, args: [-y, "a server"], env: { KEY: "\${FILES_KEY}" } }
  web: { url: "https://mcp.example/mcp", headers: { Authorization: "Bearer \${WEB}" } }
tools: { look: { command: [rg, "{{ input.word }}"] } }
jev: { base_url: "http://127.0.0.1:9/v1", api_key_cmd: [get-key] }
`),
    ).toEqual([
      'base_url: talks to https://api.example.com/v1 with ${TEAM_KEY}',
      'models.a: runs sh -c "pass show a" for a key',
      'models.b: talks to https://b.example/v1 with ${B_TOKEN}',
      'mcp_servers.files: runs npx -y "a server" with ${FILES_KEY}',
      'mcp_servers.web: talks to https://mcp.example/mcp with ${WEB}',
      'tools.look: lets models run rg "{{ input.word }}"',
      'jev.api_key_cmd: runs get-key for a key',
    ]);
    expect(
      powers(
        'default: { model: m, system: hi }\nworkflows: { a: a.yml }\nbase_url: http://127.0.0.1:1234/v1',
      ),
    ).toEqual([]);
    expect(powersOfVariables(['MY_KEY', 'NODE_OPTIONS', 'HTTPS_PROXY']).map(({ does }) => does)).toHaveLength(
      2,
    );
  });

  it('[trust.powers] hosts that only look local are not', () => {
    const host = fc.oneof(
      fc.domain(),
      fc.constantFrom('localhost.evil.example', '128.0.0.1', '10.0.0.1', 'local'),
    );
    fc.assert(
      fc.property(host, (name) => {
        expect(powersOf({ base_url: `https://${name}/v1` })).toHaveLength(
          name.endsWith('.localhost') ? 0 : 1,
        );
      }),
    );
  });
});
