import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { delta, json, says, startModelServer, streams } from '../models/model-server.js';
import { directoryWith, lait, startLait, until } from './run-lait.js';

const workflow = (baseUrl: string, steps: string) =>
  `default: { model: main }\nmodels:\n  main: [ { provider: { base_url: "${baseUrl}" }, model_id: m-1 } ]\nsteps:\n${steps}`;

test('[cli.result-only] the result is all that standard output gets; progress is on standard error', async () => {
  const server = await startModelServer(says('要約 👋'));
  const directory = directoryWith({
    'w.yml': workflow(server.baseUrl, '  - id: sum\n    prompt: "{{ input }}"\n'),
  });
  const { code, stdout, stderr } = await lait(directory, ['run', 'w.yml', 'question'], { stdin: 'piped\n' });
  expect([code, stdout]).toEqual([0, '要約 👋\n']);
  expect(stderr).toBe('==> w.yml\n[1] sum\n');
  expect(server.requests[0]!.body).toMatchObject({
    model: 'm-1',
    messages: [{ role: 'user', content: 'question\n\npiped' }],
  });
});

test('[cli.json-pure] --json gives one document, also when the run fails', async () => {
  const server = await startModelServer(
    says({ content: 'fine', usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }),
    json({ error: { message: 'no such model' } }, 404),
  );
  const directory = directoryWith({ 'w.yml': workflow(server.baseUrl, '  - prompt: hi\n') });
  const good = await lait(directory, ['run', 'w.yml', 'x', '--json']);
  expect([good.code, JSON.parse(good.stdout)]).toEqual([
    0,
    {
      content: 'fine',
      reasoning: null,
      usage: {
        input_tokens: 5,
        cached_input_tokens: 0,
        cache_write_tokens: 0,
        output_tokens: 2,
        reasoning_tokens: 0,
        total_tokens: 7,
      },
    },
  ]);
  const bad = await lait(directory, ['run', 'w.yml', 'x', '--json']);
  expect(bad.code).toBe(4);
  expect(JSON.parse(bad.stdout)).toMatchObject({
    content: null,
    error: { category: 'model', message: expect.stringContaining('no such model') },
  });
  const broken = await lait(directory, ['run', 'none.yml', '--json']);
  expect([broken.code, JSON.parse(broken.stdout).error.code]).toEqual([2, 'file_not_found']);
});

test('the last line of a failure is the chain of causes, without a stack unless -vv is given', async () => {
  const directory = directoryWith({
    'w.yml': 'steps:\n  - id: bad\n    run: [sh, -c, "echo gone >&2; exit 3"]\n',
  });
  const plain = await lait(directory, ['run', 'w.yml', 'x']);
  const last = plain.stderr.trimEnd().split('\n').at(-1)!;
  expect(plain.code).toBe(1);
  expect(last).toMatch(/^lait: steps\[0\] \(id 'bad'\) failed: .*status 3.*gone$/);
  expect(plain.stderr).not.toMatch(/^\s+at /m);
  const verbose = await lait(directory, ['-vv', 'run', 'w.yml', 'x']);
  expect(verbose.stderr).toMatch(/^\s+at /m);
  expect(verbose.stderr.trimEnd().split('\n').at(-1)).toBe(last);
});

test('a failure of many lines is shown whole, and its last line is one line', async () => {
  const script = "printf 'one\\ntwo\\033[31m\\n' >&2; exit 1";
  const directory = directoryWith({ 'w.yml': `steps:\n  - run: [sh, -c, ${JSON.stringify(script)}]\n` });
  const { stderr } = await lait(directory, ['run', 'w.yml', 'x', '-q']);
  const lines = stderr.trimEnd().split('\n');
  expect(lines[1]).toMatch(/^two/);
  expect(lines.at(-1)).toMatch(/^lait: steps\[0\] failed: .*one two/);
  expect(stderr).not.toContain('\u001b');
});

test('a failure whose chain is too long for the last line is shown whole above it, with the cause at its end', async () => {
  const files = Array.from({ length: 30 }, (_, depth) => {
    const step =
      depth === 29 ? `jq: 'error("the very cause")'` : `workflow: ./${'deep'.repeat(5)}-${depth + 1}.yml`;
    return [`${'deep'.repeat(5)}-${depth}.yml`, `steps:\n  - ${step}\n`];
  });
  const { stderr } = await lait(directoryWith(Object.fromEntries(files)), [
    'run',
    `${files[0]![0]}`,
    'x',
    '-q',
  ]);
  const [whole, last] = stderr.trimEnd().split('\n').slice(-2);
  expect(whole).toMatch(/^steps\[0\].*the very cause$/);
  expect(last).toMatch(/^lait: steps\[0\].*…$/);
});

test('problems of an agent file that a step reads are shown with their places', async () => {
  const directory = directoryWith({
    'w.yml': 'steps:\n  - agent: ./a.md\n',
    'a.md': '---\nmodle: x\n---\nhello {{ input\n',
  });
  const { code, stderr } = await lait(directory, ['run', 'w.yml', 'x']);
  expect(code).toBe(3);
  expect(stderr).toContain('a.md:2:1');
  expect(stderr).toContain('a.md:4:7');
});

test('[cli.exit-codes] every problem of a file is shown with its place, exit code 3', async () => {
  const directory = directoryWith({
    'w.yml': 'stepz: 1\nsteps:\n  - id: 日本\n    run: [cat]\n  - prompt: "{{ input"\n  - run: []\n',
  });
  const { code, stderr, stdout } = await lait(directory, ['run', 'w.yml', 'x']);
  expect([code, stdout]).toEqual([3, '']);
  for (const place of ['w.yml:1:1', 'w.yml:3:9', 'w.yml:5:14', 'w.yml:6:10']) expect(stderr).toContain(place);
  expect(stderr.trimEnd().split('\n').at(-1)).toBe('lait: w.yml has 4 problems');
});

test('a registered name is resolved with a note, and a file of the same name wins', async () => {
  const directory = directoryWith({
    'lait.config.yml': 'workflows: { job: flows/job.yml }\n',
    'flows/job.yml': 'steps:\n  - run: [printf, registered]\n',
    'below/k': '',
  });
  const named = await lait(join(directory, 'below'), ['run', 'job', 'x']);
  expect([named.code, named.stdout]).toEqual([0, 'registered\n']);
  expect(named.stderr).toMatch(/^note: 'job' is .*job\.yml/);
  writeFileSync(join(directory, 'job'), 'steps:\n  - run: [printf, file]\n');
  const file = await lait(directory, ['run', 'job', 'x']);
  expect([file.code, file.stdout]).toEqual([0, 'file\n']);
  expect(file.stderr).toMatch(/^note: 'job' is a file here/);
  const typo = await lait(directory, ['run', 'jbo', 'x']);
  expect([typo.code, typo.stdout]).toEqual([2, '']);
  expect(typo.stderr).toContain("did you mean 'job'?");
});

test('silence on standard input is explained after a second, and --no-stdin does not wait', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [cat]\n' });
  const waiting = startLait(directory, ['run', 'w.yml', 'given'], { stdin: 'open' });
  await until(() => waiting.seen.stderr.includes('--no-stdin'));
  expect(waiting.seen.stderr).toMatch(/^note: waiting for standard input/);
  waiting.child.stdin!.end('late');
  expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'given\n\nlate\n' });
  const ignoring = startLait(directory, ['run', 'w.yml', 'given', '--no-stdin'], { stdin: 'open' });
  expect(await ignoring.ended).toMatchObject({ code: 0, stdout: 'given\n' });
});

test('a recorded run is replayed without a server, and a miss names the step', async () => {
  const server = await startModelServer(says('recorded words'));
  const directory = directoryWith({
    'w.yml': workflow(server.baseUrl, '  - id: ask-model\n    prompt: "{{ input }}"\n'),
  });
  expect(await lait(directory, ['run', 'w.yml', 'x', '--record', 'tape'])).toMatchObject({ code: 0 });
  expect(await lait(directory, ['run', 'w.yml', 'x', '--replay', 'tape'])).toMatchObject({
    code: 0,
    stdout: 'recorded words\n',
  });
  const miss = await lait(directory, ['run', 'w.yml', 'other', '--replay', 'tape']);
  expect([miss.code === 0, server.requests.length]).toEqual([false, 1]);
  expect(miss.stderr).toContain('ask-model');
  expect(miss.stderr).toContain('`lait run` and `lait chat` record it with --record');
  const both = await lait(directory, ['run', 'w.yml', 'x', '--record', 'tape', '--replay', 'tape']);
  expect(both.code).toBe(2);
});

test('[cli.stream] --stream prints the last reply while it arrives, and other replies beside it', async () => {
  const server = await startModelServer(
    streams(delta({ content: 'first ' }), delta({ content: 'reply' }, 'stop'), 'data: [DONE]\n\n'),
    streams(delta({ content: 'se' }), delta({ content: 'cond' }, 'stop'), 'data: [DONE]\n\n'),
  );
  const directory = directoryWith({
    'w.yml': workflow(server.baseUrl, '  - prompt: one\n  - prompt: two\n'),
    'retried.yml': workflow(server.baseUrl, '  - prompt: one\n    retry: { max_attempts: 2 }\n'),
  });
  const streamed = await lait(directory, ['run', 'w.yml', 'x', '--stream']);
  expect([streamed.code, streamed.stdout]).toEqual([0, 'second\n']);
  expect(streamed.stderr).toContain('first reply\n');
  expect(streamed.stderr).not.toContain('second');
  expect(server.requests.every(({ body }) => body.stream === true)).toBe(true);
  const retried = await lait(directory, ['run', 'retried.yml', 'x', '--stream']);
  expect([retried.code, retried.stdout]).toEqual([0, 'second\n']);
  expect(retried.stderr).toContain('second\n');
});

test('[cli.secrets] a key is never printed, whatever fails and however much is said', async () => {
  const key = 'sk-very-secret-123456';
  const server = await startModelServer(json({ error: { message: `bad key ${key}` } }, 401));
  const directory = directoryWith({
    '.env': `MY_KEY=${key}\n`,
    'w.yml': `default: { model: main }\nmodels:\n  main: [ { provider: { base_url: "${server.baseUrl}", api_key: "\${MY_KEY}" }, model_id: m } ]\nsteps:\n  - prompt: hi\n`,
  });
  const { code, stdout, stderr } = await lait(directory, [
    'run',
    'w.yml',
    'x',
    '-vv',
    '--json',
    '--show-usage',
  ]);
  expect(code).toBe(4);
  expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${key}`);
  expect(stdout + stderr).not.toContain(key);
});

test('usage errors exit with 2 and say how to get help', async () => {
  const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [touch, ran]\n' });
  for (const args of [
    ['run'],
    ['run', 'w.yml', 'x', '--no-such-flag'],
    ['run', 'w.yml', 'x', 'y'],
    ['run', 'w.yml', 'x', '--config', 'a', '--no-config'],
    ['schema', 'nonsense'],
    ['w.yml'],
    ['run', 'w.yml', 'x', '--config', 'absent.yml'],
    ['run', 'w.yml', '-', '--no-stdin'],
    ['run', 'w.yml'],
    ['run', 'w.yml', 'x', '--input', 'no-equals-sign'],
    ['run', 'w.yml', 'x', '--input', 'undeclared=1'],
  ]) {
    const { code, stdout, stderr } = await lait(directory, args);
    expect([args, code, stdout]).toEqual([args, 2, '']);
    expect(stderr).toMatch(/^lait: /m);
  }
  expect(existsSync(join(directory, 'ran'))).toBe(false);
});
