import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { directoryWith, lait, type RunningLait, startLait, until } from '../cli/run-lait.js';

const files = {
  'lait.config.yml': 'workflows: { greet: greet.yml, ask: ask.yml }\n',
  'greet.yml': 'inputs: { name: { type: string, default: you } }\nsteps:\n  - jq: \'"hi " + $inputs.name\'\n',
  'ask.yml': 'steps:\n  - ask: "go on? 続ける?"\n  - jq: ". + \\"!\\""\n',
};

const running: RunningLait[] = [];
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
});

async function serve(directory: string, args: string[] = []): Promise<{ url: string; server: RunningLait }> {
  const server = startLait(directory, ['serve', '--port', '0', ...args]);
  running.push(server);
  const url = () => /serving at (http:\S+),/.exec(server.seen.stderr)?.[1];
  await until(() => url() !== undefined || server.child.exitCode !== null);
  return { url: url()!, server };
}

describe('an operator', () => {
  it('[server.operator] starts, makes a token, runs, answers, backs up and restores', {
    timeout: 60_000,
  }, async () => {
    const directory = directoryWith(files);
    const { url, server } = await serve(directory);
    const made = await lait(directory, ['tokens', 'create', 'ops 🔑', '--scope', 'admin', '--json']);
    expect(made.code, made.stderr).toBe(0);
    const { token, id } = JSON.parse(made.stdout);
    const env = { LAIT_TOKEN: token };
    const remote = (...args: string[]) => lait(directory, ['runs', ...args, '--server', url], { env });

    const started = await remote('start', 'greet', '--input', 'name=Ann', '--follow', '--json');
    expect(started.code, started.stderr).toBe(0);
    expect(JSON.parse(started.stdout)).toMatchObject({ status: 'completed', result: 'hi Ann' });
    expect(started.stderr).toContain('run_created');

    const asked = await remote('start', 'ask', 'x', '--follow');
    expect([asked.code, asked.stdout]).toEqual([75, expect.stringContaining('go on? 続ける?')]);
    const listed = await remote('list', '--json');
    expect(JSON.parse(listed.stdout).map((run: { status: string }) => run.status)).toEqual([
      'waiting_hitl',
      'completed',
    ]);
    const answered = await remote('answer', 'latest', 'yes');
    expect(answered.code, answered.stderr).toBe(0);
    let shown = await remote('show', 'latest', '--json');
    while (JSON.parse(shown.stdout).status !== 'completed') shown = await remote('show', 'latest', '--json');
    expect(JSON.parse(shown.stdout).result).toBe('yes!');
    const again = await remote('answer', 'latest', 'yes');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('asks nothing')]);
    expect((await remote('show', 'nobody')).stderr).toContain("there is no run 'nobody'");
    const events = (await remote('events', 'latest')).stdout;
    expect(events).toContain('hitl_answer_received');
    expect(events).toMatch(/ run_status_changed +from=queued status=running\n/);

    const followed = await remote('events', 'latest', '--follow', '--tokens', '--json');
    const lines = followed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([followed.code, lines[0].seq, lines.at(-1).payload]).toEqual([0, 1, expect.anything()]);
    expect((await remote('events', 'latest', '--tokens')).stderr).toContain('--tokens goes with --follow');

    const backup = await lait(directory, ['backup', 'copy.db']);
    expect(backup.code, backup.stderr).toBe(0);
    expect(statSync(join(directory, 'copy.db')).mode & 0o777).toBe(0o600);
    expect((await lait(directory, ['backup', 'copy.db'])).stderr).toContain('--force');
    expect((await remote('rm', 'latest')).code).toBe(0);
    const inUse = await lait(directory, ['restore', 'copy.db', '--force']);
    expect([inUse.code, inUse.stderr]).toEqual([2, expect.stringContaining('stop the server first')]);
    expect((await lait(directory, ['tokens', 'revoke', id])).code).toBe(0);
    expect((await remote('list')).stderr).toContain('LAIT_TOKEN');

    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    expect((await lait(directory, ['restore', 'copy.db'])).stderr).toContain('--force');
    const restored = await lait(directory, ['restore', 'copy.db', '--force']);
    expect(restored.code, restored.stderr).toBe(0);
    expect(readdirSync(join(directory, '.lait')).some((name) => name.includes('.replaced-'))).toBe(true);
    const next = await serve(directory);
    const after = await lait(directory, ['runs', 'list', '--json', '--server', next.url]);
    expect(JSON.parse(after.stdout)).toHaveLength(2);
  });

  it('[server.rerun] repeats a run with other inputs, as without a server', { timeout: 60_000 }, async () => {
    const directory = directoryWith({
      'lait.config.yml': 'workflows: { two: two.yml }\n',
      'two.yml': 'inputs: { a: {}, b: {} }\nsteps:\n  - jq: $inputs\n',
      'whole.json': '{"a": 7, "b": "日本"}',
    });
    const { url } = await serve(directory);
    const remote = (...args: string[]) => lait(directory, ['runs', ...args, '--server', url]);
    const first = await remote(
      'start',
      'two',
      '--input',
      'a={"x":2}',
      '--input',
      'b=日本',
      '--follow',
      '--json',
    );
    const { run_id } = JSON.parse(first.stdout);
    const calls: [string[], object][] = [
      [[], { a: { x: 2 }, b: '日本' }],
      [['--input', 'b=two words'], { a: { x: 2 }, b: 'two words' }],
      [['--input-json', '@whole.json'], { a: 7, b: '日本' }],
      [['--input-json', '{"a":8}', '--input', 'b=[1]'], { a: 8, b: [1] }],
    ];
    for (const [args, inputs] of calls) {
      const { code, stdout, stderr } = await remote('rerun', run_id, ...args, '--json');
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout).inputs).toEqual(inputs);
      const local = await lait(directory, [
        'runs',
        'rerun',
        run_id,
        ...args,
        '--database',
        '.lait/lait.db',
        '-q',
      ]);
      expect(JSON.parse(local.stdout)).toEqual(inputs);
    }
    const wrong = await remote('rerun', run_id, '--input', 'nonsense');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('must be KEY=VALUE')]);
  });

  it('[server.operator] is told what is wrong with a call', { timeout: 60_000 }, async () => {
    const directory = directoryWith(files);
    const refused: [string[], string][] = [
      [['serve', '--port', '99999'], '--port must be a number'],
      [['serve', '--host', '0.0.0.0', '--port', '0'], 'lait tokens create'],
      [['serve', '--mcp', '--port', '1'], '--port does not go with --mcp'],
      [['tokens', 'create', 'x'], '--scope'],
      [['tokens', 'create', 'x', '--scope', 'all'], "there is no scope 'all'"],
      [['tokens', 'create', 'x', '--scope', 'read', '--expires-in', 'soon'], '90d'],
      [['tokens', 'revoke', 'tok_x'], "there is no token 'tok_x'"],
      [['backup', 'x.db', '--database', 'none.db'], 'there is no database'],
      [['restore', 'none.db'], 'there is no file'],
      [['runs', 'start', 'greet'], '--server URL'],
      [['runs', 'list', '--server', 'nonsense'], 'must be an address'],
      [['runs', 'list', '--server', 'http://127.0.0.1:1', '--database', 'x.db'], 'exclude each other'],
    ];
    for (const [args, told] of refused) {
      const { code, stderr } = await lait(directory, args);
      expect([args.join(' '), code], stderr).toEqual([args.join(' '), 2]);
      expect(stderr).toContain(told);
    }
    const unreachable = await lait(directory, ['runs', 'list', '--server', 'http://127.0.0.1:1']);
    expect([unreachable.code, unreachable.stderr]).toEqual([1, expect.stringContaining('cannot be reached')]);
    writeFileSync(
      join(directory, 'broken.db'),
      'no database at all, but long enough to be read as one'.repeat(100),
    );
    const damaged = await lait(directory, ['restore', 'broken.db']);
    expect(damaged.code).not.toBe(0);
    expect(readdirSync(directory).filter((name) => name.includes('partial'))).toEqual([]);
    expect(existsSync(join(directory, '.lait', 'lait.db.partial'))).toBe(false);
  });
});
