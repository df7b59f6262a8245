import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryWith, lait, until } from '../cli/run-lait.js';
import { asking, auto, configuration, logOf, runIds } from './graph-files.js';

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));

/** A loop around a child workflow with branches and a question: every step leaves a line. */
const nested = {
  'parent.yml': `steps:
  - id: loop
    while: .rounds < 2
    max_iterations: 5
    steps:
      - id: child
        workflow: ./child.yml
  - id: after
    run: [sh, -c, 'echo after >> log; cat']
`,
  'child.yml': `steps:
  - id: a
    run: [sh, -c, 'echo a >> log; cat']
  - parallel:
      b: [ { run: [sh, -c, 'echo b >> log; cat'] } ]
      c: [ { run: [sh, -c, 'echo c >> log; cat'] } ]
  - id: d
    ask: 'after {{ json input }}?'
  - id: next
    jq: '{rounds: (($steps.a | fromjson | .rounds) + 1), answer: ., seen: ($steps.a | fromjson)}'
`,
};
const start = ['run', 'parent.yml', '--input-json', '{"rounds":0,"語":"🍣"}', '--park'];

/** Starts lait on a terminal of its own. */
function onTerminal(directory: string, args: readonly string[], env: Record<string, string> = {}) {
  const command = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `exec ${command}`, '/dev/null'], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', HOME: join(directory, '..', 'no-home'), LAIT_TRUST: '1', ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const seen = { text: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.text += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, seen, ended };
}

const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');

test.runIf(hasTerminals)(
  'a loop around a child workflow that is killed while it asks goes on where it was [waiting.nested] [waiting.killed]',
  async () => {
    const directory = directoryWith(nested);
    const { child, seen, ended } = onTerminal(directory, start);
    await until(() => seen.text.includes('\n> '));
    const [id] = runIds(directory);
    const lait0 = Number(spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)]).stdout);
    process.kill(lait0, 'SIGKILL');
    await ended;
    expect(logOf(directory).sort()).toEqual(['a', 'b', 'c']);

    const shown = JSON.parse((await lait(directory, ['runs', 'show', id!, '--json'])).stdout);
    const input = '{"rounds":0,"語":"🍣"}';
    const question = `after ${JSON.stringify({ b: input, c: input })}?`;
    expect(shown).toMatchObject({ status: 'waiting_hitl', questions: [{ question: { text: question } }] });

    const second = await lait(directory, ['runs', 'answer', id!, 'はい']);
    expect([second.code, logOf(directory).length]).toEqual([75, 6]);
    expect(second.stderr).toContain('はい');
    const last = await lait(directory, ['runs', 'answer', id!, 'end', '-q']);
    expect([last.code, JSON.parse(last.stdout)]).toEqual([
      0,
      { rounds: 2, answer: 'end', seen: { rounds: 1, answer: 'はい', seen: JSON.parse(input) } },
    ]);
    expect(logOf(directory)).toHaveLength(7);
    // What a live run gives is the same.
    writeFileSync(join(directory, 'answers.json'), JSON.stringify({ child: ['はい', 'end'] }));
    const live = await lait(directory, [...start.slice(0, -1), '--answers', 'answers.json', '-q']);
    expect(live.stdout).toBe(last.stdout);
  },
);

test('a child that waits and then fails makes its parent fail, with the path to the step [waiting.child-fails]', async () => {
  const directory = directoryWith({
    'parent.yml': 'steps:\n  - id: sub\n    workflow: ./sub.yml\n  - run: [sh, -c, "echo after >> log"]\n',
    'sub.yml':
      'steps:\n  - id: q\n    ask: ok?\n  - id: fail\n    run: [sh, -c, "echo broken >&2; exit 4"]\n',
  });
  expect((await lait(directory, ['run', 'parent.yml', 'x', '--park', '-q'])).code).toBe(75);
  const { code, stdout, stderr } = await lait(directory, ['runs', 'answer', 'latest', 'yes', '-q']);
  expect([code, stdout, logOf(directory)]).toEqual([1, '', []]);
  expect(stderr).toMatch(
    /lait: steps\[0\] \(id 'sub'\), workflow 'sub.yml' failed: steps\[1\] \(id 'fail'\) failed: .*broken\n$/,
  );
});

test('without a terminal nobody is asked: an answer from a file, a default, or exit code 75 [waiting.no-terminal]', async () => {
  const directory = directoryWith({
    'lait.config.yml': configuration({ before: auto, after: auto }),
    'g.json': asking({ question: 'go?' }),
    's.yml':
      'steps:\n  - id: who\n    ask: Who?\n  - id: how\n    ask: How?\n    choices: [well, badly]\n    default: well\n  - jq: "$steps"\n',
    'a.yml': 'who: 7\nhwo: x\n',
  });
  // Standard input that stays open, as build servers and agents leave it.
  for (const stdin of [undefined, '', 'open'] as const) {
    const { code } = await lait(directory, ['run', 'g.json', '-q'], stdin === undefined ? {} : { stdin });
    expect(code).toBe(75);
  }
  const parked = await lait(directory, ['run', 's.yml', 'x', '--park', '-q']);
  expect(parked.code).toBe(75);
  const answered = await lait(directory, ['runs', 'answer', 'latest', '名前', '-q']);
  expect([answered.code, JSON.parse(answered.stdout)]).toEqual([0, { who: '名前', how: 'well' }]);
  const scripted = await lait(directory, ['run', 's.yml', 'x', '--park', '--answers', 'a.yml', '-q']);
  expect([scripted.code, JSON.parse(scripted.stdout)]).toEqual([0, { who: '7', how: 'well' }]);
  expect(scripted.stderr).toContain("'hwo' named no question");
  writeFileSync(join(directory, 'a.yml'), 'who: a\nhow: so so\n');
  const wrong = await lait(directory, ['run', 's.yml', 'x', '--park', '--answers', 'a.yml', '-q']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("one of 'well', 'badly'");
  const list = JSON.parse((await lait(directory, ['runs', 'list', '--json'])).stdout);
  expect(list[0].status).toBe('waiting_hitl');
});

test.runIf(hasTerminals)(
  'on a terminal questions are asked until the answer fits; with CI nobody is [waiting.terminal]',
  async () => {
    const directory = directoryWith({
      'lait.config.yml': configuration({ before: auto, after: 'approval_policy: plan_required' }),
      'g.json': asking({ question: 'go?\u001b[2J', question_type: 'boolean' }),
    });
    const { child, seen, ended } = onTerminal(directory, ['run', 'g.json', '-q']);
    await until(() => seen.text.includes('Approve everything? [yes / no]'));
    expect(seen.text).toContain('after, capability: after');
    child.stdin.write('maybe\nyes\n');
    await until(() => seen.text.includes('go?\\x1b[2J [yes / no]'));
    child.stdin.write('n\n');
    expect(await ended).toBe(0);
    expect(seen.text).toContain("answer with 'yes' or 'no'");
    expect(logOf(directory)).toEqual(['before', 'after']);
    const events = (await lait(directory, ['runs', 'events', 'latest'])).stdout;
    expect(events).toMatch(/hitl_answer_received +q +.*answer=false/);

    const automated = onTerminal(directory, ['run', 'g.json', '-q'], { CI: '1' });
    expect(await automated.ended).toBe(75);
  },
);

test('Ctrl-C leaves a run that goes on later; a second resume is refused while it runs [waiting.interrupted]', async () => {
  const directory = directoryWith({
    'w.yml': `steps:
  - id: one
    run: [sh, -c, 'echo one >> log']
  - id: two
    run: [sh, -c, 'echo two >> log; test -f open || { kill -INT $PPID; sleep 30; }']
  - id: three
    run: [sh, -c, 'echo three >> log; until test -f go; do sleep 0.05; done']
`,
  });
  const stopped = await lait(directory, ['run', 'w.yml', 'x', '--park']);
  expect(stopped.code).toBe(130);
  const [id] = runIds(directory);
  expect(stopped.stderr).toContain(`lait runs resume ${id}`);
  writeFileSync(join(directory, 'open'), '');
  const resumed = lait(directory, ['runs', 'resume', id!]);
  await until(() => logOf(directory).includes('three'));
  const refused = await lait(directory, ['runs', 'resume', id!]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('another process works on')]);
  writeFileSync(join(directory, 'go'), '');
  const { code, stderr } = await resumed;
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('one')]);
  expect(readFileSync(join(directory, 'log'), 'utf8')).toBe('one\ntwo\ntwo\nthree\n');
});

test('several questions of a dynamic workflow are answered one by one, by step or address [waiting.several]', async () => {
  const child = (id: string) => ({ type: 'workflow', id, workflowId: './q.json' });
  const definition = (id: string, graph: unknown[]) =>
    JSON.stringify({ id, inputSchema: {}, outputSchema: {}, graph });
  const directory = directoryWith({
    'w.json': definition('w', [{ type: 'parallel', steps: [child('one'), child('two')] }]),
    'q.json': definition('q', [{ type: 'workflow', id: 'sub', workflowId: './q.yml' }]),
    'q.yml': 'steps:\n  - run: [sh, -c, "echo asks >> log; cat"]\n  - ask: "{{ input }}?"\n',
  });
  const parked = await lait(directory, ['run', 'w.json', 'x', '--park', '-q']);
  const [id] = runIds(directory);
  expect([parked.code, logOf(directory)]).toEqual([75, ['asks', 'asks']]);
  expect(parked.stderr).toContain(`  one: x?\n    lait runs answer ${id} one ANSWER\n`);
  expect((await lait(directory, ['runs', 'answer', id!, 'either'])).stderr).toContain('asks 2 questions');
  const first = await lait(directory, ['runs', 'answer', id!, 'two', 'B', '-q']);
  expect([first.code, first.stderr]).toEqual([75, expect.stringContaining(`lait runs answer ${id} ANSWER`)]);
  const last = await lait(directory, ['runs', 'answer', id!, 'A', '-q']);
  expect([last.code, JSON.parse(last.stdout), logOf(directory)]).toEqual([
    0,
    { one: 'A', two: 'B' },
    ['asks', 'asks'],
  ]);
});

test.each([
  ['its result', '', 'lait: a value is too large'],
  ['what a step writes', '  - run: [cat]\n', 'lait: steps[1] failed: a value is too large'],
  [
    'what a step compares',
    "  - write: '{{#if (eq input input)}}a{{/if}}{{ json input }}'\n",
    'lait: steps[1] failed',
  ],
])('a recorded run whose value is endless fails: %s [values.size]', async (_, step, message) => {
  const directory = directoryWith({
    'w.yml': `steps:\n  - jq: 'reduce range(60) as $i ([1]; [., .])'\n${step}`,
  });
  const env = { SOME_TOKEN: 'secret-0123' };
  const failed = await lait(directory, ['run', 'w.yml', 'x', '--park'], { env });
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr).toContain(message);
  const [run] = JSON.parse((await lait(directory, ['runs', 'list', '--json'], { env })).stdout);
  expect(run.status).toBe('failed');
  expect((await lait(directory, ['runs', 'events', 'latest'], { env })).code).toBe(0);
});
