import { existsSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json, type ModelServer, says, startModelServer } from '../models/model-server.js';
import { directoryWith, lait, startLait, until } from './run-lait.js';

const workflow = (server: ModelServer) => `
inputs: { lang: { type: string, default: ja } }
default: { model: m }
models: { m: [ { provider: { base_url: "${server.baseUrl}" }, model_id: id } ] }
steps:
  - id: s
    prompt: "say {{ input }} in {{ inputs.lang }}"
`;

const passing = `name: says it
workflow: ../w.yml
input: やあ
replay: ../tape
assert:
  - { type: equals, value: "good day 👋" }
  - { type: step_output, id: s, assert: [ { type: contains, value: day } ] }
  - { type: usage, max_total_tokens: 12 }
`;

const answering = () =>
  startModelServer(
    says({ content: 'good day 👋', usage: { prompt_tokens: 8, completion_tokens: 4, total_tokens: 12 } }),
  );

describe('lait test', () => {
  it('[testing.update] records with --update, then replays without the server', async () => {
    const server = await answering();
    const directory = directoryWith({ 'w.yml': workflow(server), 'tests/a.yml': passing });
    const missing = await lait(directory, ['test', 'tests']);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('--update') });
    expect(missing.stdout).toContain('tests/a.yml (says it): FAIL');
    expect(server.requests).toHaveLength(0);

    expect(await lait(directory, ['test', 'tests', '--update'])).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(1);
    expect(readdirSync(join(directory, 'tape'))).toHaveLength(1);

    const replayed = await lait(directory, ['test', 'tests', '--repeat', '3']);
    expect(replayed).toMatchObject({
      code: 0,
      stdout: 'tests/a.yml (says it): PASS 3/3\n1 test: 1 passed, 0 failed\n',
      stderr: '',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('[testing.broken-workflow] reports what is wrong in a workflow, or in one that it calls, with its place', async () => {
    const directory = directoryWith({
      'w.yml': 'steps:\n  - jqq: .\n  - run: [echo]\n    timeout: -1\n',
      'parent.yml': 'steps:\n  - workflow: ./w.yml\n',
      'own.yml': passing.replace('../tape', '.').replace('../w.yml', 'w.yml'),
      'child.yml': passing.replace('../tape', '.').replace('../w.yml', 'parent.yml'),
      'gone.yml': passing.replace('../tape', '.').replace('../w.yml', 'no.yml'),
    });
    const own = await lait(directory, ['test', 'own.yml']);
    expect(own.code).toBe(3);
    expect(own.stdout).toMatch(
      /FAIL\n {2}\S*w\.yml has 2 problems\n {4}\S*w\.yml:2:5: steps\[0\]: .*\[no_kind\] \(did you mean 'jq'\?\)\n {4}\S*w\.yml:4:14: steps\[1\]: /,
    );
    const child = await lait(directory, ['test', 'child.yml']);
    expect(child.code).toBe(3);
    expect(child.stdout).toMatch(
      /the run failed: steps\[0\] failed: .*w\.yml has 2 problems\n {4}\S*w\.yml:2:5: /,
    );
    const gone = await lait(directory, ['test', 'gone.yml']);
    expect(gone.stdout).toMatch(/FAIL\n {2}cannot read \S*no\.yml: no such file\n1 test/);
  });

  it('[testing.per-assertion] reports each assertion with what differs, in three formats', async () => {
    const server = await answering();
    const failing = passing
      .replace('good day 👋', 'good night')
      .replace('contains, value: day', 'contains, value: <night>');
    const directory = directoryWith({
      'w.yml': workflow(server),
      'tests/a.yml': passing,
      'tests/deep/b.yaml': failing.replaceAll('../', '../../'),
      'tests/notes.yml': 'steps: [ { jq: . } ]\n',
    });
    await lait(directory, ['test', 'tests/a.yml', '--update']);
    const text = await lait(directory, ['test', 'tests']);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(
      [
        'tests/deep/b.yaml (says it): FAIL',
        '  assert[0] equals: the value is another one (- expected, + actual)',
        '  - good night',
        '  + good day 👋',
        '  assert[1].assert[0] contains: the value of step \'s\': "<night>" is not in good day 👋',
        '2 tests: 1 passed, 1 failed',
      ].join('\n'),
    );
    expect(text.stderr).toBe('lait: 1 of 2 test(s) failed\n');

    const asJson = await lait(directory, ['test', 'tests', '--format', 'json', '--filter', 'deep']);
    expect(JSON.parse(asJson.stdout)).toMatchObject([
      {
        file: 'tests/deep/b.yaml',
        name: 'says it',
        status: 'fail',
        failures: [expect.stringContaining('assert[0]'), expect.stringContaining('assert[1].assert[0]')],
        assertions: [{ pass: false }, { pass: false, type: 'contains' }, { pass: true, type: 'usage' }],
        output: 'good day 👋',
      },
    ]);

    expect(await lait(directory, ['test', 'tests', '--format', 'junit', '-o', 'r.xml'])).toMatchObject({
      code: 1,
      stdout: '',
    });
    const report = readFileSync(join(directory, 'r.xml'), 'utf8');
    expect(report).toContain('<testsuites name="lait" tests="8" failures="2">');
    expect(report).toContain('&quot;&lt;night&gt;&quot; is not in');
  });

  it('runs the others when a file is invalid, and exits with 3', async () => {
    const server = await answering();
    const directory = directoryWith({
      'w.yml': workflow(server),
      'tests/a.yml': passing,
      'tests/b.yml': 'workflow: ../w.yml\nreplay: x\nasert: []\n',
      'tests/c.yml': 'workflow: ../broken.yml\nreplay: x\n',
      'broken.yml': 'steps: [ { jqq: . } ]\n',
    });
    await lait(directory, ['test', 'tests/a.yml', '--update']);
    const { code, stdout } = await lait(directory, ['test', 'tests']);
    expect(code).toBe(3);
    expect(stdout).toContain('tests/a.yml (says it): PASS');
    expect(stdout).toContain("tests/b.yml:3:1: 'asert' is not a field");
    expect(stdout).toMatch(/broken\.yml:1:\d+: .*jqq/);
    const lint = await lait(directory, ['lint', 'tests/b.yml']);
    expect(lint).toMatchObject({ code: 3, stdout: expect.stringContaining("'asert'") });
    expect(await lait(directory, ['lint', 'tests/a.yml'])).toMatchObject({ code: 0 });
  });

  it('says so when there is nothing to run', async () => {
    const directory = directoryWith({ 'w.yml': 'steps: [ { jq: . } ]\n' });
    expect(await lait(directory, ['test', '.'])).toMatchObject({
      code: 1,
      stderr: 'lait: no test file was found\n',
    });
    expect(await lait(directory, ['test', 'none'])).toMatchObject({ code: 2 });
    expect(await lait(directory, ['test', '.', '--jobs', 'x'])).toMatchObject({ code: 2 });
    expect(await lait(directory, ['test', '.', '--approve-tools'])).toMatchObject({ code: 2 });
  });

  it('[testing.answers] answers questions from the file, else by their default, else fails', async () => {
    const directory = directoryWith({
      'w.yml':
        'steps:\n  - { id: first, ask: "one?" }\n  - { id: second, ask: "two?", default: d }\n  - jq: "$steps.first + $steps.second"\n',
      't.yml':
        'workflow: w.yml\nreplay: x\nanswers: { first: はい }\nassert: [ { type: equals, value: はいd } ]\n',
      'u.yml': 'workflow: w.yml\nreplay: x\n',
    });
    expect(await lait(directory, ['test', 't.yml'])).toMatchObject({ code: 0 });
    const { code, stdout } = await lait(directory, ['test', 'u.yml']);
    expect(code).toBe(1);
    expect(stdout).toContain("the step 'first' asks and the test has no answer");
  });

  it('[testing.judge] has a model judge, whose verdict is recorded with the rest', async () => {
    const server = await startModelServer(says('good day'), says('{"reason":"it greets","pass":true}'));
    const judged =
      'workflow: w.yml\ninput: x\nreplay: tape\nassert: [ { type: llm_judge, criteria: It greets. } ]\n';
    const directory = directoryWith({ 'w.yml': workflow(server), 't.yml': judged });
    expect(await lait(directory, ['test', 't.yml', '--update'])).toMatchObject({ code: 0 });
    expect(server.requests[1]!.body).toMatchObject({ model: 'id', temperature: 0 });
    expect(server.requests[1]!.text).toContain('It greets.');
    expect(await lait(directory, ['test', 't.yml'])).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(2);
  });

  it('counts tool calls and stops at Ctrl-C with 130', async () => {
    const calls = says({
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tool__slow', arguments: '{"n":1}' } }],
    });
    const server = await startModelServer(calls, says('done'));
    const directory = directoryWith({
      'lait.config.yml':
        'tools: { slow: { command: [sh, -c, "touch begun; sleep $N"], parameters: { type: object } } }\n',
      'w.yml': workflow(server).replace('  - id: s', '  - id: s\n    tools: [slow]'),
      't.yml':
        'workflow: w.yml\ninput: x\nreplay: tape\nassert: [ { type: tool_called, name: tool__slow, args_jq: ".n == 1" } ]\n',
    });
    expect(await lait(directory, ['test', 't.yml', '--update'], { env: { N: '0' } })).toMatchObject({
      code: 0,
    });
    unlinkSync(join(directory, 'begun'));
    const running = startLait(directory, ['test', 't.yml'], { env: { N: '30' } });
    await until(() => existsSync(join(directory, 'begun')));
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });
});

describe('lait eval', () => {
  const evaluation = `target: { workflow: w.yml }
cases:
  - input: aa
    assert: [ { type: contains, value: good } ]
  - { name: second, input: bb, assert: [ { type: contains, value: good } ] }
`;

  it('[testing.eval-scores] scores each case over several runs of the live model', async () => {
    let count = 0;
    const server = await startModelServer((response, request) => {
      count += 1;
      const bad = request.text.includes('bb') && count % 2 === 0;
      json({ choices: [{ message: { content: bad ? 'bad' : 'good' }, finish_reason: 'stop' }] })(
        response,
        request,
      );
    });
    const directory = directoryWith({ 'w.yml': workflow(server), 'e.yml': evaluation });
    const { code, stdout, stderr } = await lait(directory, ['eval', 'e.yml', '--repeat', '4']);
    expect(code).toBe(1);
    expect(stdout).toBe(
      'e.yml:\ncase 1: 4/4 (100%) PASS  aa\ncase 2: 2/4 (50%) FAIL  second\n' +
        '  assert[0] contains: "good" is not in bad\n2 cases: 1 passed, 1 failed\n',
    );
    expect(stderr).toBe('lait: 1 of 2 case(s) failed\n');
    expect(server.requests).toHaveLength(8);

    const one = await lait(directory, ['eval', '.', '--filter', 'second', '--format', 'json']);
    expect(JSON.parse(one.stdout)).toMatchObject([
      {
        file: 'e.yml',
        case: 2,
        name: 'second',
        input: 'bb',
        total: 1,
        runs: [{ failures: expect.any(Array) }],
      },
    ]);
    const junit = await lait(directory, ['eval', 'e.yml', '--format', 'junit', '--filter', 'second']);
    expect(junit.stdout).toContain('<testcase name="case 2 second" classname="e.yml"');
  });

  it('evaluates a prompt with settings of its own', async () => {
    const server = await startModelServer(says('moss'));
    const directory = directoryWith({
      'lait.config.yml': `base_url: "${server.baseUrl}"\ndefault: { tools: [] }\n`,
      'e.yml':
        'target: { prompt: "about {{ input.topic }}", system: "be {{ input.how }}", model: mm, temperature: 0.1 }\ncases: [ { input: { topic: 苔, how: brief }, assert: [ { type: equals, value: moss } ] } ]\n',
    });
    expect(await lait(directory, ['eval', 'e.yml'])).toMatchObject({ code: 0 });
    expect(server.requests[0]!.body).toMatchObject({
      model: 'mm',
      temperature: 0.1,
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'about 苔' },
      ],
    });
  });

  it('reports a server that does not answer as a failure of the case', async () => {
    const server = await startModelServer(json({ error: { message: 'no such model' } }, 404));
    const directory = directoryWith({ 'w.yml': workflow(server), 'e.yml': evaluation });
    const { code, stdout } = await lait(directory, ['eval', 'e.yml', '--format', 'json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { passed: 0, runs: [{ failures: [expect.stringContaining('no such model')] }] },
      { passed: 0 },
    ]);
  });
});

it('prints JSON Schemas of test and eval files', async () => {
  const directory = directoryWith({});
  const test = JSON.parse((await lait(directory, ['schema', 'test'])).stdout);
  expect(test.required).toEqual(['workflow', 'replay']);
  expect(test.properties.assert.items.anyOf[0]).toMatchObject({
    properties: { type: { const: 'equals' } },
    required: ['type', 'value'],
    additionalProperties: false,
  });
  const evaluation = JSON.parse((await lait(directory, ['schema', 'eval'])).stdout);
  expect(evaluation.required).toEqual(['target', 'cases']);
});
