import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';
import { capabilityNode, hitl, terminal } from '../runs/graph-host.js';
import { asking, auto, configuration, graphFile, logOf, runIds } from './graph-files.js';

const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
const config = configuration({ before: auto, after: auto });
const files = {
  'lait.config.yml': config,
  'g.json': asking({ question: '続ける?', question_type: 'select', choices: ['a b', "it's"] }),
};

/** The commands that a message offers. */
const offered = (text: string) => [...text.matchAll(/^ {4}(lait .*)$/gm)].map((match) => match[1]!);

/** Runs a command as a person would paste it. */
function paste(
  command: string,
  directory: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const bin = directoryWith({ lait: `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n` });
  chmodSync(join(bin, 'lait'), 0o755);
  return new Promise((resolve) => {
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: join(directory, '..', 'no-home') };
    execFile('sh', ['-c', `${command} </dev/null`], { cwd: directory, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

test('a graph run waits with exit code 75, and the command that it prints lets it go on [waiting.park] [waiting.commands]', async () => {
  const directory = directoryWith(files);
  const parked = await lait(directory, ['run', 'g.json', '--no-env']);
  const [id] = runIds(directory);
  expect([parked.code, parked.stdout]).toEqual([75, '']);
  expect(parked.stderr).toContain(`run '${id}' waits for an answer\n  q: 続ける? [a b / it's]\n`);
  expect(logOf(directory)).toEqual(['before']);
  expect(offered(parked.stderr)).toEqual([`lait runs answer ${id} 'a b' --no-env`]);
  const ended = await paste(offered(parked.stderr)[0]!, directory);
  expect([ended.code, ended.stdout]).toEqual([0, '{"summary":"done"}\n']);
  expect(ended.stderr).not.toContain('] before');
  expect(ended.stderr).toContain('] after');
  expect(logOf(directory)).toEqual(['before', 'after']);
});

test('answers are checked, and late or second ones are refused and change nothing [waiting.answers-checked]', async () => {
  const directory = directoryWith(files);
  await lait(directory, ['run', 'g.json', '-q']);
  const [id] = runIds(directory);
  const wrong = [['c'], ['nodes.other?', 'a b'], ['--json', '{'], ['one', 'two', 'three']];
  const refusals = await Promise.all(wrong.map((args) => lait(directory, ['runs', 'answer', id!, ...args])));
  for (const { code, stdout } of refusals) expect([code, stdout]).toEqual([2, '']);
  expect(refusals[0]!.stderr).toContain("one of 'a b', 'it's'");
  expect(logOf(directory)).toEqual(['before']);
  const taken = await lait(directory, ['runs', 'answer', id!, 'nodes.q?', "it's", '--no-continue']);
  expect([taken.code, taken.stdout]).toEqual([0, '']);
  const second = await lait(directory, ['runs', 'answer', id!, 'a b']);
  expect(second.code).toBe(2);
  expect(second.stderr).toContain(`run '${id}' asks nothing; it has been queued`);
  expect((await lait(directory, ['runs', 'resume', 'latest', '-q'])).code).toBe(0);
  const actions = [['answer', 'a b'], ['approve'], ['resume'], ['attention', 'fail'], ['cancel']];
  const late = await Promise.all(
    actions.map(([name, ...rest]) => lait(directory, ['runs', name!, id!, ...rest])),
  );
  for (const { code, stderr } of late)
    expect([code, stderr]).toEqual([2, expect.stringContaining('completed')]);
  expect(logOf(directory)).toEqual(['before', 'after']);
});

test('of two processes that answer at once exactly one wins, and nothing runs twice [waiting.one-process-wins]', async () => {
  for (const database of [undefined, 'runs.db']) {
    const directory = directoryWith(files);
    const flags = database === undefined ? [] : ['--database', database];
    await lait(directory, ['run', 'g.json', '-q', ...flags]);
    const answers = await Promise.all(
      ['a b', "it's"].map((answer) => lait(directory, ['runs', 'answer', 'latest', answer, ...flags])),
    );
    expect(answers.map(({ code }) => code).sort(), answers.map(({ stderr }) => stderr).join()).toEqual([
      0, 2,
    ]);
    expect(answers.find(({ code }) => code === 2)!.stderr).toMatch(/asks nothing|was answered/);
    expect(logOf(directory)).toEqual(['before', 'after']);
    expect(existsSync(join(directory, '.lait', 'runs'))).toBe(database === undefined);
  }
});

test('consent is asked for once, covers everything, and can be given at the start [waiting.approval]', async () => {
  const directory = directoryWith({
    'lait.config.yml': configuration({ before: auto, after: 'approval_policy: plan_required' }),
    'g.json': asking({ question: 'sure?', question_type: 'boolean' }),
  });
  const parked = await lait(directory, ['run', 'g.json', '--json']);
  const [id] = runIds(directory);
  expect(parked.code).toBe(75);
  expect(JSON.parse(parked.stdout)).toMatchObject({
    content: null,
    run: {
      run_id: id,
      status: 'waiting_approval',
      commands: [`lait runs approve ${id}`, `lait runs cancel ${id}`],
    },
  });
  expect(logOf(directory)).toEqual([]);
  const asked = 'everything that it will do\n  - after, capability: after\n';
  expect(parked.stderr).toContain(asked);
  expect((await lait(directory, ['runs', 'show', 'latest'])).stdout).toContain(asked);
  const approved = await lait(directory, ['runs', 'approve', 'latest']);
  expect([approved.code, logOf(directory)]).toEqual([75, ['before']]);
  expect((await lait(directory, ['runs', 'approve', 'latest'])).code).toBe(2);
  const cancelled = await lait(directory, ['runs', 'cancel', 'latest', '--json']);
  expect([cancelled.code, JSON.parse(cancelled.stdout)]).toEqual([0, { run_id: id, status: 'cancelled' }]);
  expect((await lait(directory, ['runs', 'answer', 'latest', 'true'])).code).toBe(2);
  writeFileSync(join(directory, 'answers.yml'), 'q: true # 本当\n');
  const free = await lait(directory, ['run', 'g.json', '--approve', '--answers', 'answers.yml']);
  expect([free.code, free.stdout]).toEqual([0, '{"summary":"done"}\n']);
  expect(logOf(directory)).toEqual(['before', 'before', 'after']);
});

test('a database that is not there is told, and not made by looking at it [waiting.one-list]', async () => {
  const directory = directoryWith(files);
  for (const args of [['list'], ['show', 'latest'], ['answer', 'latest', 'yes']])
    expect(await lait(directory, ['runs', ...args, '--database', 'mistyped.db'])).toMatchObject({
      code: 2,
      stderr: 'lait: there is no database mistyped.db\n',
    });
  expect(existsSync(join(directory, 'mistyped.db'))).toBe(false);
});

test('the outcome of a graph is the exit code: failure, incomplete, and what made it fail [waiting.outcomes]', async () => {
  const loop = {
    state_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    input_mapping: { n: 0 },
    continuation_condition: { from_path: 'loop.state.n', operator: 'exists' },
    max_iterations: 2,
    entry_node_id: 'r',
  };
  const directory = directoryWith({
    'lait.config.yml': configuration({ before: auto }, { before: 'echo no >&2; exit 3' }),
    'failure.json': graphFile([hitl('q'), terminal('t', 'failure')], ['q->t']),
    'incomplete.json': graphFile(
      [
        { node_id: 'l', node_type: 'loop', config: loop },
        {
          node_id: 'r',
          node_type: 'loop_result',
          parent_loop_node_id: 'l',
          config: { output_mapping: { n: { $ref: 'loop.iteration' } } },
        },
        terminal('t'),
      ],
      ['l->t'],
    ),
    'fails.json': graphFile([capabilityNode('before', 'before'), terminal('t')], ['before->t']),
    'a.yml': 'q: yes\n',
  });
  const failure = await lait(directory, ['run', 'failure.json', '--answers', 'a.yml']);
  expect([failure.code, failure.stdout]).toEqual([1, '{"answer":"yes"}\n']);
  expect(failure.stderr).toMatch(/lait: the workflow ended with the outcome 'failure'\n$/);
  const incomplete = await lait(directory, ['run', 'incomplete.json']);
  expect(incomplete.code).toBe(1);
  expect(incomplete.stderr).toMatch(/iteration 1\/2[\s\S]*iteration 2\/2[\s\S]*outcome 'incomplete'\n$/);
  const fails = await lait(directory, ['run', 'fails.json', '--json']);
  expect([fails.code, JSON.parse(fails.stdout).error.category]).toEqual([1, 'failed']);
  expect(fails.stderr).toMatch(/lait runs rerun [\s\S]*\nlait: nodes\.before.* failed: /);
});

test('inputs come as --input by the schema, as --input-json, or as piped JSON; wrong ones leave no run behind [waiting.inputs]', async () => {
  const properties = { name: { type: 'string' }, count: { type: 'integer' } };
  const template = { inputs: { name: { $ref: 'run.inputs.name' }, count: { $ref: 'run.inputs.count' } } };
  const directory = directoryWith({
    'g.json': graphFile(
      [
        {
          node_id: 'x',
          node_type: 'text_template',
          config: { ...template, template: '{{ name }}/{{ count }}' },
        },
        terminal('t'),
      ],
      ['x->t'],
      { properties, required: ['name', 'count'] },
    ),
  });
  const given = [
    [['--input', 'name=007', '--input', 'count=2'], undefined, '007/2'],
    [['--input-json', '{"name":"世界","count":1}', '--input', 'count=3'], undefined, '世界/3'],
    [[], '{"name":"piped","count":4}', 'piped/4'],
  ] as const;
  for (const [args, stdin, text] of given) {
    const { code, stdout } = await lait(
      directory,
      ['run', 'g.json', ...args],
      stdin === undefined ? {} : { stdin },
    );
    expect([code, stdout]).toEqual([0, `{"text":"${text}"}\n`]);
  }
  // An open standard input is not waited for when the inputs are there.
  const open = await lait(directory, ['run', 'g.json', '--input', 'name=a', '--input', 'count=1'], {
    stdin: 'open',
  });
  expect(open.code).toBe(0);
  const before = runIds(directory).length;
  for (const args of [
    ['--input', 'name=x'],
    ['--input', 'name=x', '--input', 'count=many'],
    ['--input-json', '[1]'],
  ]) {
    const refused = await lait(directory, ['run', 'g.json', ...args]);
    expect([refused.code, refused.stdout], args.join()).toEqual([2, '']);
  }
  expect(runIds(directory)).toHaveLength(before);
});

test('a run that has ended is repeated from a node, with other inputs, as a new run [waiting.rerun]', async () => {
  const directory = directoryWith({
    ...files,
    'g.json': graphFile(
      [capabilityNode('before', 'before'), capabilityNode('after', 'after'), terminal('t')],
      ['before->after', 'after->t'],
      { properties: { word: { type: 'string' } } },
    ),
    'lait.config.yml': configuration({ before: auto, after: auto }, { after: 'test -f open && printf ok' }),
  });
  expect((await lait(directory, ['run', 'g.json', '--input', 'word=one', '-q'])).code).toBe(1);
  const [first] = runIds(directory);
  writeFileSync(join(directory, 'open'), '');
  const again = await lait(directory, ['runs', 'rerun', first!, '--from', 'after', '--input', 'word=two']);
  expect([again.code, again.stdout]).toEqual([0, '{"summary":"ok"}\n']);
  expect(logOf(directory)).toEqual(['before', 'after', 'after']);
  const shown = JSON.parse((await lait(directory, ['runs', 'show', 'latest', '--json'])).stdout);
  expect(shown).toMatchObject({ source_run_id: first, inputs: { word: 'two' }, status: 'completed' });
  expect((await lait(directory, ['runs', 'rerun', first!, '--from', 'nowhere'])).code).toBe(2);
  expect((await lait(directory, ['runs', 'rerun', first!, '--from', 'start', '-q'])).code).toBe(0);
  expect(logOf(directory)).toEqual(['before', 'after', 'after', 'before', 'after']);
});

test('one list and one show over checkpoints and runs that wait; the log has no gaps [waiting.one-list]', async () => {
  const directory = directoryWith({ ...files, 's.yml': 'steps: [ { jq: "1" } ]\n' });
  await lait(directory, ['run', 's.yml', 'x', '--checkpoint', '-q']);
  await lait(directory, ['run', 'g.json', '-q']);
  const [checkpoint, waiting] = runIds(directory);
  const list = JSON.parse((await lait(directory, ['runs', 'list', '--json'])).stdout);
  expect(list).toMatchObject([
    { run_id: waiting, status: 'waiting_hitl', form: 'graph', workflow_path: 'g.json' },
    { run_id: checkpoint, status: 'completed', completed_steps: 1 },
  ]);
  const text = (await lait(directory, ['runs', 'list'])).stdout;
  expect(text).toMatch(/waiting_hitl +q: 続ける\? +g\.json\n.*completed +step 1\/1 +s\.yml\n$/);
  const shown = (await lait(directory, ['runs', 'show', 'latest'])).stdout;
  expect(shown).toContain(`lait runs answer ${waiting} 'a b'`);
  expect((await lait(directory, ['runs', 'show', checkpoint!])).stdout).toContain('1 of 1 finished');
  const events = JSON.parse((await lait(directory, ['runs', 'events', waiting!, '--json'])).stdout);
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(
    events.map((_: unknown, index: number) => index + 1),
  );
  const later = JSON.parse(
    (await lait(directory, ['runs', 'events', waiting!, '--after', '3', '--json'])).stdout,
  );
  expect(later).toEqual(events.slice(3));
  // Each command sends the runs of the other kind to where they belong.
  expect((await lait(directory, ['runs', 'resume', checkpoint!])).stderr).toContain(`--resume ${checkpoint}`);
  expect((await lait(directory, ['run', 's.yml', '--from', 'start', '-q'])).code).toBe(0);
  expect((await lait(directory, ['runs', 'rm', waiting!])).code).toBe(2);
  expect((await lait(directory, ['runs', 'answer', 'latest', 'a b', '-q'])).code).toBe(0);
  expect((await lait(directory, ['runs', 'rm', '--completed'])).code).toBe(0);
  expect(runIds(directory)).toEqual([]);
});

test('a damaged record is refused with its path and left as it is [waiting.damaged]', async () => {
  const directory = directoryWith(files);
  await lait(directory, ['run', 'g.json', '-q']);
  const [id] = runIds(directory);
  const path = join(directory, '.lait', 'runs', `${id}.json`);
  const whole = readFileSync(path);
  for (const bytes of [Math.floor(whole.length / 2), 0]) {
    truncateSync(path, bytes);
    const before = readFileSync(path);
    for (const action of [
      ['resume', id!],
      ['answer', id!, 'a b'],
    ]) {
      const { code, stdout, stderr } = await lait(directory, ['runs', ...action]);
      expect([code, stdout], action[0]).toEqual([1, '']);
      expect(stderr).toContain(path);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    const listed = await lait(directory, ['runs', 'list']);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('unreadable')]);
    expect(listed.stderr).toContain(`warning: ${path} is damaged`);
  }
  // JSON that is whole and still no run, and a run of a newer version.
  const { record, ...rest } = JSON.parse(whole.toString('utf8'));
  for (const [file, word] of [
    [{ ...rest, record: { ...record, answers: 1 } }, 'is damaged'],
    [{ ...rest, record, format: 99 }, 'newer lait'],
  ] as const) {
    writeFileSync(path, JSON.stringify(file));
    const listed = await lait(directory, ['runs', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ run_id: id, status: 'unreadable' }]);
    expect(listed.stderr).toMatch(new RegExp(`warning: .*${word}.*lait runs rm ${id}`));
  }
  expect((await lait(directory, ['runs', 'rm', id!])).code).toBe(1);
  writeFileSync(join(directory, '.lait', 'runs', 'gone.json'), '{"format":');
  expect((await lait(directory, ['runs', 'rm', 'gone'])).code).toBe(0);
  writeFileSync(path, whole);
  expect((await lait(directory, ['runs', 'answer', id!, 'a b', '-q'])).code).toBe(0);
  expect(logOf(directory)).toEqual(['before', 'after']);
});

test('lait graph --run colours the nodes by their state in the run [waiting.graph]', async () => {
  const directory = directoryWith(files);
  await lait(directory, ['run', 'g.json', '-q']);
  const drawn = await lait(directory, ['graph', 'g.json', '--run', 'latest']);
  expect(drawn.stdout).toMatch(/before<br\/>.*<br\/>succeeded"/);
  expect(drawn.stdout).toMatch(/q<br\/>.*<br\/>waiting hitl"/);
  expect(drawn.stdout).toContain('classDef waiting');
  const dot = await lait(directory, ['graph', 'g.json', '--run', 'latest', '--format', 'dot']);
  expect(dot.stdout).toContain('style=filled');
  writeFileSync(join(directory, 'other.json'), files['g.json']);
  expect((await lait(directory, ['graph', 'other.json', '--run', 'latest'])).code).toBe(2);
});

test('the example runs as its page says [waiting.example]', async () => {
  const directory = directoryWith({});
  cpSync(fileURLToPath(new URL('../../../../examples/graph', import.meta.url)), directory, {
    recursive: true,
  });
  const inputs = ['task=Tell users where the export went.', 'topic=export', 'output_path=export.md'];
  const flags = ['--replay', 'recordings', '--answers', 'answers.json', '--approve', '-q'];
  const { code, stderr } = await lait(directory, [
    'run',
    'write-note.json',
    ...flags,
    ...inputs.flatMap((input) => ['--input', input]),
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(readFileSync(join(directory, '.lait', 'vault', 'export.md'), 'utf8')).toContain('toolbar');
});

test.each([undefined, 'runs.db'])(
  'values of variables that look like keys enter no record, and are there when the run goes on (%s) [waiting.no-secrets]',
  async (database) => {
    const directory = directoryWith({
      'g.json': graphFile(
        [
          { node_id: 'x', node_type: 'text_template', config: { inputs: {}, template: 'fixed' } },
          hitl('q', { question: { $ref: 'run.inputs.key' } }),
          {
            node_id: 'y',
            node_type: 'text_template',
            config: { inputs: { k: { $ref: 'run.inputs.key' } }, template: 'key {{ k }}' },
          },
          terminal('t'),
        ],
        ['x->q', 'q->y', 'y->t'],
        { properties: { key: { type: 'string' } } },
      ),
    });
    const env = { MY_TOKEN: 'super-secret-値' };
    const flags = database === undefined ? [] : ['--database', database];
    const input = ['--input', `key=${env.MY_TOKEN}`];
    expect((await lait(directory, ['run', 'g.json', '-q', ...input, ...flags], { env })).code).toBe(75);
    const { stdout } = await lait(directory, ['runs', 'answer', 'latest', 'ok', '-q', ...flags], { env });
    expect(stdout).toBe(`{"text":"key ${env.MY_TOKEN}"}\n`);
    const shown = await lait(directory, ['runs', 'show', 'latest', ...flags]);
    expect(shown.stdout).toContain('key $' + '{MY_TOKEN}');
    // Ending a run needs none of its values; they stay what they are for whoever repeats it.
    await lait(directory, ['run', 'g.json', '-q', ...input, ...flags], { env });
    const cancelled = await lait(directory, ['runs', 'cancel', 'latest', '--json', ...flags]);
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ status: 'cancelled' });
    expect((await lait(directory, ['runs', 'rerun', 'latest', '-q', ...flags], { env })).code).toBe(75);
    const again = await lait(directory, ['runs', 'answer', 'latest', 'ok', '-q', ...flags], { env });
    expect(again.stdout).toBe(stdout);
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((name) => join(directory, name))
      .filter((path) => statSync(path).isFile());
    expect(files.filter((path) => readFileSync(path).includes(env.MY_TOKEN))).toEqual([]);
  },
);
