import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { directoryWith, lait, startLait, until } from '../cli/run-lait.js';

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));

const read = (directory: string, name: string) => readFileSync(join(directory, name), 'utf8');
const lines = (directory: string, name: string) =>
  existsSync(join(directory, name)) ? read(directory, name).trimEnd().split('\n').length : 0;
const runIds = (directory: string) =>
  readdirSync(join(directory, '.lait', 'runs')).map((name) => name.replace(/\.json$/, ''));
const record = (directory: string, id = runIds(directory)[0]!) =>
  JSON.parse(read(directory, `.lait/runs/${id}.json`));

/** Marks what runs, and fails at `gate` until a file opens it. */
const gated = `steps:
  - id: first
    run: [sh, -c, 'echo first >> log; cat']
    output: '"\\(.)!"'
  - jq: '. + "?"'
  - id: gate
    run: [sh, -c, 'echo gate >> log; test -f open && cat']
  - id: last
    jq: '{now: ., first: $steps.first}'
`;

describe('[runs.resume] a failed run goes on in a new process', () => {
  it('behind its last finished top-level step, with the values as they were', async () => {
    const directory = directoryWith({ 'w.yml': gated });
    const failed = await lait(directory, ['run', 'w.yml', '本文 "quoted" 🍣', '--checkpoint']);
    const [id] = runIds(directory);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(
      `note: run checkpointed as '${id}'; resume with \`lait run w.yml --resume ${id}\``,
    );
    expect(failed.stderr.trimEnd().split('\n').at(-1)).toMatch(/^lait: /);
    expect(record(directory)).toMatchObject({
      status: 'failed',
      completed_index: 1,
      counter: 2,
      current_value: '本文 "quoted" 🍣!?',
      steps_outputs: { first: '本文 "quoted" 🍣!' },
      top_level_labels: ['first', 'step-2', 'gate', 'last'],
    });
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', 'ignored', '--resume', id!]);
    expect(resumed.stderr).toContain('PROMPT is not used');
    expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([
      0,
      { now: '本文 "quoted" 🍣!?', first: '本文 "quoted" 🍣!' },
    ]);
    expect(read(directory, 'log')).toBe('first\ngate\ngate\n');
    expect(record(directory)).toMatchObject({ status: 'completed', completed_index: 3 });
    const again = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    expect([again.code, again.stdout]).toEqual([2, '']);
    expect(again.stderr).toContain(`lait runs show ${id}`);
    const asJson = await lait(directory, ['run', 'w.yml', '--resume', id!, '--json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: 'run_completed', category: 'usage' } });
    expect(read(directory, 'log')).toBe('first\ngate\ngate\n');
  });

  it('with numbers that JSON does not know', async () => {
    const directory = directoryWith({
      'w.yml': `steps:\n  - id: odd\n    jq: '[-0, 0.1, 1e300, 12345678901234567890, null]'\n  - run: [test, -f, open]\n  - jq: '[$steps.odd, (1 / ($steps.odd[0]) | tostring)?]'\n    on_error: [ { jq: $steps.odd } ]\n`,
    });
    const whole = await lait(directoryWith({ 'w.yml': read(directory, 'w.yml'), open: '' }), [
      'run',
      'w.yml',
      'x',
    ]);
    await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    expect(resumed.stdout).toBe(whole.stdout);
  });

  it('after it was killed, without a word of goodbye', async () => {
    const directory = directoryWith({
      'w.yml': `steps:\n  - id: first\n    run: [sh, -c, 'echo first >> log; cat']\n  - run: [sh, -c, 'touch started; test -f open || sleep 60; cat']\n`,
    });
    const running = startLait(directory, ['run', 'w.yml', 'value', '--checkpoint']);
    await until(() => existsSync(join(directory, 'started')));
    const listed = await lait(directory, ['runs', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'running', completed_steps: 1, steps: 2 }]);
    running.child.kill('SIGKILL');
    await running.ended;
    const after = await lait(directory, ['runs', 'list']);
    expect(after.stdout).toMatch(/interrupted +step 1\/2 +w\.yml/);
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    expect([resumed.code, resumed.stdout]).toEqual([0, 'value\n']);
    expect(lines(directory, 'log')).toBe(1);
  });

  it('after Ctrl-C and after the timeout of the workflow', async () => {
    const directory = directoryWith({
      'w.yml': `timeout: 2\nsteps:\n  - id: first\n    jq: '. + "!"'\n  - run: [sh, -c, 'touch started; test -f open || sleep 60; cat']\n`,
    });
    const timedOut = await lait(directory, ['run', 'w.yml', 'v', '--checkpoint']);
    expect(timedOut.code).toBe(5);
    expect(timedOut.stderr).toContain('--resume');
    rmSync(join(directory, 'started'));
    const running = startLait(directory, ['run', 'w.yml', '--resume', 'latest']);
    await until(() => existsSync(join(directory, 'started')));
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    expect([resumed.code, resumed.stdout]).toEqual([0, 'v!\n']);
  });

  it('with new inputs, which replace the recorded ones', async () => {
    const directory = directoryWith({
      'w.yml': `inputs: { who: string, n: { type: integer, default: 1 } }\nsteps:\n  - id: a\n    jq: '1'\n  - run: [test, -f, open]\n  - jq: '"\\($inputs.who) \\($inputs.n)"'\n`,
    });
    await lait(directory, ['run', 'w.yml', '--input', 'who=ann', '--input', 'n=2', '--checkpoint']);
    const unknown = await lait(directory, ['run', 'w.yml', '--resume', 'latest', '--input', 'whom=x']);
    expect(unknown.code).toBe(2);
    await lait(directory, ['run', 'w.yml', '--resume', 'latest', '--input', 'who=bob']);
    expect(record(directory).inputs).toEqual({ who: 'bob', n: 1 });
    expect(JSON.stringify(record(directory))).not.toContain('ann');
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    expect(resumed.stdout).toBe('bob 1\n');
  });

  it('with later steps changed, and a warning; not with finished ones changed', async () => {
    const directory = directoryWith({ 'w.yml': gated });
    await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    const before = read(directory, `.lait/runs/${runIds(directory)[0]}.json`);
    writeFileSync(
      join(directory, 'w.yml'),
      gated.replace('id: first', 'id: other').replace('.first', '.other'),
    );
    const refused = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/first, step-2.*other, step-2/);
    expect(read(directory, `.lait/runs/${runIds(directory)[0]}.json`)).toBe(before);
    writeFileSync(
      join(directory, 'w.yml'),
      gated.replace('id: last', 'id: final').replace('test -f open && cat', 'cat'),
    );
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toMatch(/warning: .*changed/);
  });

  it('registered names and paths of the same file are the same file', async () => {
    const directory = directoryWith({
      'flows/job.yml': gated,
      'lait.config.yml': 'workflows: { job: flows/job.yml }\n',
    });
    await lait(directory, ['run', 'job', 'x', '--checkpoint']);
    expect(record(directory).workflow_path).toBe('flows/job.yml');
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', './flows/job.yml', '--resume', 'latest']);
    expect(resumed.code).toBe(0);
  });
});

describe('[runs.from] a new run from a recorded step', () => {
  it('uses what was recorded before it, and the original stays', async () => {
    const directory = directoryWith({ 'w.yml': gated, open: '' });
    await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    const [original] = runIds(directory);
    const before = read(directory, `.lait/runs/${original}.json`);
    const again = await lait(directory, ['run', 'w.yml', '--from', 'gate']);
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { now: 'x!?', first: 'x!' }]);
    expect(read(directory, 'log')).toBe('first\ngate\ngate\n');
    expect(read(directory, `.lait/runs/${original}.json`)).toBe(before);
    const started = runIds(directory).find((id) => id !== original)!;
    expect(record(directory, started)).toMatchObject({
      status: 'completed',
      parent: { run_id: original, from: 'gate' },
    });
    const fromUnnamed = await lait(directory, ['run', 'w.yml', '--from', 'step-2', '--resume', original!]);
    expect(JSON.parse(fromUnnamed.stdout)).toEqual({ now: 'x!?', first: 'x!' });
    const fromStart = await lait(directory, ['run', 'w.yml', '--from', 'start', '--resume', original!]);
    expect([fromStart.code, lines(directory, 'log')]).toEqual([0, 6]);
  });

  it('works from a stop that failed the run, with the input repaired', async () => {
    const directory = directoryWith({
      'w.yml': `inputs: { kind: string }\nsteps:\n  - id: slow\n    run: [sh, -c, 'echo slow >> log; cat']\n  - switch:\n      - when: '$inputs.kind == "good"'\n        steps: [ { jq: '"handled"' } ]\n`,
    });
    expect((await lait(directory, ['run', 'w.yml', 'x', '--input', 'kind=bad', '--checkpoint'])).code).toBe(
      1,
    );
    const again = await lait(directory, ['run', 'w.yml', '--from', 'step-2', '--input', 'kind=good']);
    expect([again.code, again.stdout, lines(directory, 'log')]).toEqual([0, 'handled\n', 1]);
  });

  it('refuses steps that do not exist or were not reached', async () => {
    const directory = directoryWith({ 'w.yml': gated });
    await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    const unknown = await lait(directory, ['run', 'w.yml', '--from', 'gaet']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("did you mean 'gate'?")]);
    const early = await lait(directory, ['run', 'w.yml', '--from', 'last']);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('step-2')]);
    const none = await lait(directoryWith({ 'w.yml': gated }), ['run', 'w.yml', '--from', 'gate']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--checkpoint')]);
  });
});

describe('[runs.one-resume-wins] two resumes at once', () => {
  it('exactly one goes on, the other is told who does', async () => {
    const directory = directoryWith({
      'w.yml': `steps:\n  - jq: .\n  - run: [sh, -c, 'test -f open && { sleep 1; echo ran >> log; cat; }']\n`,
    });
    await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    writeFileSync(join(directory, 'open'), '');
    const tries = await Promise.all(
      Array.from({ length: 3 }, () => lait(directory, ['run', 'w.yml', '--resume', 'latest'])),
    );
    expect(tries.filter(({ code }) => code === 0)).toHaveLength(1);
    for (const { code, stdout, stderr } of tries.filter(({ code }) => code !== 0)) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/already being continued by process \d+|has completed/);
    }
    expect(lines(directory, 'log')).toBe(1);
  });
});

describe('[runs.keep-items] --keep-items', () => {
  const loop = (concurrency: number) => `steps:
  - jq: '[range(6)]'
  - id: each
    for_each: .
    max_concurrency: ${concurrency}
    steps:
      - run: [sh, -c, 'read n; test "$n" != 4 -o -f open && echo "$n" >> log && echo $((n * 10))']
        output: tonumber
      - id: sum
        jq: '. + ($steps.sum // 0)'
  - jq: '{each: ., sum: $steps.sum}'
`;
  const sorted = (directory: string) => read(directory, 'log').trim().split('\n').sort().join('');

  it.each([1, 3])('does not repeat finished items, at a concurrency of %i', async (concurrency) => {
    const directory = directoryWith({ 'w.yml': loop(concurrency) });
    expect((await lait(directory, ['run', 'w.yml', 'x', '--checkpoint'])).code).toBe(1);
    const done = record(directory).items;
    expect(Object.keys(done.results).length).toBeGreaterThanOrEqual(3);
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest', '--keep-items']);
    const sequential = { each: [0, 10, 30, 60, 100, 150], sum: 150 };
    const concurrent = { each: [0, 10, 20, 30, 40, 50], sum: null };
    expect(JSON.parse(resumed.stdout)).toEqual(concurrency === 1 ? sequential : concurrent);
    // Every item has run once; those under way when the run failed may have run again.
    if (concurrency === 1) expect(sorted(directory)).toBe('012345');
    expect(record(directory).items).toBeUndefined();
  });

  it('without it the step starts again, and a changed list starts again, too', async () => {
    const directory = directoryWith({ 'w.yml': loop(1) });
    await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    writeFileSync(join(directory, 'w.yml'), loop(1).replace('for_each: .', "for_each: 'map(. + 10)'"));
    const changed = await lait(directory, ['run', 'w.yml', '--resume', 'latest', '--keep-items']);
    expect(JSON.parse(changed.stdout).each[0]).toBe(100);
    const again = directoryWith({ 'w.yml': loop(1) });
    await lait(again, ['run', 'w.yml', 'x', '--checkpoint']);
    writeFileSync(join(again, 'open'), '');
    await lait(again, ['run', 'w.yml', '--resume', 'latest']);
    expect(sorted(again)).toBe('0011223345');
    expect((await lait(again, ['run', 'w.yml', 'x', '--keep-items'])).code).toBe(2);
  });

  it('holds after a kill, too', async () => {
    const directory = directoryWith({
      'w.yml': `steps:\n  - for_each: '[range(4)]'\n    steps:\n      - run: [sh, -c, 'read n; if [ "$n" = 3 ] && [ ! -f open ]; then sleep 1; touch started; sleep 60; fi; echo "$n" >> log; echo "$n"']\n`,
    });
    const running = startLait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    await until(() => existsSync(join(directory, 'started')));
    running.child.kill('SIGKILL');
    await running.ended;
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest', '--keep-items']);
    expect([resumed.stdout, sorted(directory)]).toEqual(['["0","1","2","3"]\n', '0123']);
  });
});

describe('[runs.bad-files] hostile records', () => {
  const prepared = async () => {
    const directory = directoryWith({ 'w.yml': gated });
    await lait(directory, ['run', 'w.yml', 'x', '--checkpoint']);
    const id = runIds(directory)[0]!;
    return { directory, id, file: join(directory, '.lait', 'runs', `${id}.json`) };
  };

  it.each([
    ['half of its bytes', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), 'damaged'],
    ['no bytes', () => Buffer.alloc(0), 'damaged'],
    ['other bytes', () => Buffer.from([0xff, 0xfe, 0x00]), 'UTF-8'],
    ['a newer format', () => Buffer.from('{"format": 3}'), 'newer'],
    ['an earlier format', () => Buffer.from('{"format": 1}'), 'earlier'],
    ['foreign JSON', () => Buffer.from('{"a": 1}'), 'no checkpoint'],
  ])('with %s is refused by name and kept', async (_name, change, word) => {
    const { directory, id, file } = await prepared();
    const bytes = change(readFileSync(file));
    writeFileSync(file, bytes);
    for (const args of [
      ['run', 'w.yml', '--resume', id],
      ['run', 'w.yml', '--from', 'gate', '--resume', id],
      ['runs', 'show', id],
    ]) {
      const { code, stdout, stderr } = await lait(directory, args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`${id}.json`);
      expect(stderr).toContain(word);
    }
    expect(readFileSync(file)).toEqual(bytes);
    expect(lines(directory, 'log')).toBe(2);
    const listed = await lait(directory, ['runs', 'list']);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringMatching(/unreadable/)]);
  });

  it('damaged ones give way to the record before them [runs.restored]', async () => {
    const { directory, id, file } = await prepared();
    const whole = readFileSync(file);
    const early = await lait(directory, ['runs', 'restore', id]);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('nothing to restore')]);

    const damaged = whole.subarray(0, whole.length / 2);
    writeFileSync(file, damaged);
    writeFileSync(join(directory, 'open'), '');
    const refused = await lait(directory, ['run', 'w.yml', '--resume', 'latest']);
    const command = /`lait (runs restore \S+)`/.exec(refused.stderr)![1]!;
    expect([refused.code, readFileSync(file)]).toEqual([1, damaged]);

    const restored = await lait(directory, command.split(' '));
    expect(restored.stderr).toContain(
      `as it was after 2 of 4 steps; resume with \`lait run w.yml --resume ${id}\``,
    );
    expect(readFileSync(`${file}.damaged`)).toEqual(damaged);
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', id]);
    expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([0, { now: 'x!?', first: 'x!' }]);
    expect(read(directory, 'log')).toBe('first\ngate\ngate\n');

    await lait(directory, ['runs', 'rm', id]);
    expect(readdirSync(join(directory, '.lait', 'runs'))).toEqual([]);
    expect(readdirSync(join(directory, '.lait', 'previous'))).toEqual([]);
  });

  it('damaged ones are still there when a restore finds the disk full', async () => {
    const { directory, id, file } = await prepared();
    const damaged = readFileSync(file).subarray(0, 100);
    writeFileSync(file, damaged);
    appendFileSync(join(directory, '.lait', 'previous', `${id}.json`), ' '.repeat(4096));
    const script = `trap '' XFSZ; ulimit -f 1; exec "$@"`;
    const words = ['-c', script, 'sh', process.execPath, launcher, 'runs', 'restore', id];
    const { status, stderr } = spawnSync('sh', words, { cwd: directory, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot write')]);
    expect(readFileSync(file)).toEqual(damaged);
    expect((await lait(directory, ['runs', 'restore', id])).code).toBe(0);
    expect(readFileSync(`${file}.damaged`)).toEqual(damaged);
  });

  it('with lines of another directory in the id is refused', async () => {
    const { directory } = await prepared();
    for (const id of ['../w', '/etc/passwd', '..']) {
      const { code, stderr } = await lait(directory, ['runs', 'show', id]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is no run id')]);
    }
  });

  it.skipIf(process.getuid?.() === 0)('without permission to read is refused and kept', async () => {
    const { directory, id, file } = await prepared();
    chmodSync(file, 0o000);
    const { code, stderr } = await lait(directory, ['run', 'w.yml', '--resume', id]);
    chmodSync(file, 0o600);
    expect([code, stderr]).toEqual([1, expect.stringContaining('permission denied')]);
    expect(record(directory, id).status).toBe('failed');
  });

  it('a disk that is full stops a run before it begins and loses no result later', async () => {
    const directory = directoryWith({
      'w.yml': `steps:\n  - id: big\n    run: [sh, -c, 'head -c 100000 /dev/zero | tr "\\\\0" x']\n  - run: [wc, -c]\n    output: tonumber\n`,
      'small.yml': `steps:\n  - run: [touch, ran]\n`,
    });
    const limited = (limit: number, args: string[]) =>
      new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
        const script = `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`;
        const child = spawn('sh', ['-c', script, 'sh', process.execPath, launcher, ...args], {
          cwd: directory,
        });
        let [stdout, stderr] = ['', ''];
        child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
        child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
        child.stdin.end('text');
        child.on('close', (code) => resolve({ code, stdout, stderr }));
      });
    const none = await limited(0, ['run', 'small.yml', '--checkpoint']);
    expect([none.code, none.stdout]).toEqual([1, '']);
    expect(none.stderr).toMatch(/cannot write .*\.lait/);
    expect(existsSync(join(directory, 'ran'))).toBe(false);
    const later = await limited(8, ['run', 'w.yml', '--checkpoint']);
    expect([later.code, later.stdout]).toEqual([0, '100000\n']);
    expect(later.stderr).toMatch(/warning: the checkpoint of run .* could not be saved/);
    const kept = record(directory);
    expect(kept).toMatchObject({ status: expect.stringMatching(/failed|completed/) });
  });
});

describe('[runs.no-secrets] records of runs with secrets', () => {
  it('hold no variable of the workflow, and a resume uses its present value', async () => {
    const directory = directoryWith({
      'w.yml': `steps:\n  - id: login\n    run: [sh, -c, 'printf "Bearer %s" "$TOKEN"']\n    env: { TOKEN: "\${DEPLOY}", PATH: "\${PATH}" }\n  - run: [test, -f, open]\n    on_error: [ { run: [sh, -c, 'test -f open'] } ]\n  - jq: $steps.login\n`,
    });
    const value = 'hunter2-Token/値';
    const failed = await lait(directory, ['run', 'w.yml', 'x', '--checkpoint'], { env: { DEPLOY: value } });
    expect(failed.code).toBe(1);
    const walk = (at: string): string[] =>
      readdirSync(at, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? walk(join(at, entry.name)) : [readFileSync(join(at, entry.name), 'utf8')],
      );
    expect(walk(join(directory, '.lait')).join('\n')).not.toContain('hunter2');
    const shown = await lait(directory, ['runs', 'show', 'latest'], { env: { DEPLOY: value } });
    expect(shown.stdout).toContain('Bearer ${DEPLOY}');
    expect(shown.stdout).not.toContain('hunter2');
    writeFileSync(join(directory, 'open'), '');
    const resumed = await lait(directory, ['run', 'w.yml', '--resume', 'latest'], {
      env: { DEPLOY: 'rotated-1' },
    });
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Bearer rotated-1\n']);
  });
});

it('[runs.no-secrets] variables that only a child names stay out of the record, too', async () => {
  const directory = directoryWith({
    'w.yml': 'steps:\n  - id: got\n    workflow: ./child.yml\n  - run: [test, -f, open]\n',
    'child.yml': `steps:\n  - run: [sh, -c, 'echo "$X"']\n    env: { X: "\${PLAIN_NAME}", PATH: "\${PATH}" }\n`,
  });
  await lait(directory, ['run', 'w.yml', 'x', '--checkpoint'], { env: { PLAIN_NAME: 'hunter2-child' } });
  const text = read(directory, `.lait/runs/${runIds(directory)[0]}.json`);
  expect(text).not.toContain('hunter2');
  expect(text).toContain('PLAIN_NAME');
});

describe('lait runs', () => {
  it('lists, shows and removes', async () => {
    const directory = directoryWith({ 'w.yml': gated, open: '' });
    const none = await lait(directory, ['runs', 'list']);
    expect([none.code, none.stdout, none.stderr]).toEqual([0, '', expect.stringContaining('--checkpoint')]);
    expect(JSON.parse((await lait(directory, ['runs', 'list', '--json'])).stdout)).toEqual([]);
    await lait(directory, ['run', 'w.yml', 'one', '--checkpoint']);
    await lait(directory, ['run', 'w.yml', 'two', '--checkpoint']);
    const listed = JSON.parse((await lait(directory, ['runs', 'list', '--json'])).stdout);
    expect(listed).toMatchObject([{ status: 'completed', completed_steps: 4 }, { status: 'completed' }]);
    const shown = await lait(directory, ['runs', 'show', 'latest']);
    expect(shown.stdout).toContain(`run:            ${listed[0].run_id}`);
    expect(shown.stdout).toMatch(/initial input: +two/);
    const json = JSON.parse((await lait(directory, ['runs', 'show', 'latest', '--json'])).stdout);
    expect(json).toMatchObject({ run_id: listed[0].run_id, status: 'completed', initial_input: 'two' });
    const wrong = await lait(directory, ['runs', 'rm', listed[0].run_id, 'no-such-run']);
    expect([wrong.code, runIds(directory)]).toEqual([2, expect.objectContaining({ length: 2 })]);
    expect((await lait(directory, ['runs', 'rm', 'latest'])).code).toBe(0);
    expect(runIds(directory)).toEqual([listed[1].run_id]);
    expect((await lait(directory, ['runs', 'rm', '--completed'])).code).toBe(0);
    expect(runIds(directory)).toEqual([]);
    expect((await lait(directory, ['runs', 'rm'])).code).toBe(2);
  });
});
