import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { commandList } from '../../src/cli/command-list.js';
import { documentSchemas } from '../../src/cli/document-schemas.js';
import { scaffolds } from '../../src/cli/init/scaffolds.js';
import { lintFile } from '../../src/cli/lint/lint-file.js';
import type { LintContext } from '../../src/config/lint-workflow.js';
import { explanations } from '../../src/dialects/explanations.js';
import { json, startModelServer } from '../models/model-server.js';
import { capabilityNode, type GraphNodeInput, graphOf, terminal } from '../runs/graph-host.js';
import { directoryWith, lait } from './run-lait.js';

const names = Object.entries(commandList).flatMap(([name, { hidden }]) => (hidden === true ? [] : [name]));

test('help and version are on standard output with exit code 0', async () => {
  const directory = directoryWith({});
  const help = await lait(directory, ['--help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  for (const name of names) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(help.stdout).not.toContain('__complete');
  const version = await lait(directory, ['--version']);
  expect(version).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^lait \d+\.\d+\.\d+\n$/),
    stderr: '',
  });
  expect((await lait(directory, [])).stdout).toBe(help.stdout);
});

test('[cli.help-examples] every command has help with an example', async () => {
  const directory = directoryWith({});
  for (const name of names) {
    const { code, stdout } = await lait(directory, [name, '--help']);
    const shown = /^Commands:/m.test(stdout)
      ? (await lait(directory, [name, /^ {2}(\w+) /m.exec(stdout.split('Commands:')[1]!)![1]!, '--help']))
          .stdout
      : stdout;
    expect([name, code, /Examples:\n {2}.*lait /.test(stdout + shown)]).toEqual([name, 0, true]);
  }
});

test('lint checks every file, in every format, and prints one document', async () => {
  const directory = directoryWith({
    'good.yml': 'steps:\n  - jq: .\n',
    'bad.yml': 'steps:\n  - id: 日本\n    jq: ".["\n',
    'agents/a.md': '---\nname: a\n---\nhello {{ input\n',
    'sub/lait.config.yml': 'modles: {}\n',
    'notes.md': '# no agent\n',
    'picture.png': 'pixels',
    'node_modules/x/w.yml': 'steps: 1\n',
  });
  const text = await lait(directory, ['lint', '.']);
  expect(text.code).toBe(3);
  expect(text.stdout).toContain('good.yml: OK\n');
  for (const place of ['bad.yml:2:9', 'bad.yml:3:12', 'agents/a.md:4:7', 'sub/lait.config.yml:1:1']) {
    expect(text.stdout).toContain(place);
  }
  expect(text.stdout).not.toContain('node_modules');
  expect(text.stderr).toBe('lait: 3 of 4 file(s) had errors\n');
  const document = await lait(directory, ['lint', 'bad.yml', 'good.yml', '--format', 'json']);
  expect(JSON.parse(document.stdout)).toMatchObject([
    { file: 'bad.yml', line: 2, severity: 'error', code: 'bad_value' },
    { file: 'bad.yml', line: 3, severity: 'error', code: 'jq_syntax' },
  ]);
  const github = await lait(directory, ['lint', 'bad.yml', '--format', 'github']);
  expect(github.stdout).toMatch(/^::error file=bad\.yml,line=2/m);
  expect((await lait(directory, ['lint', 'good.yml'])).code).toBe(0);
  expect((await lait(directory, ['lint', 'missing.yml'])).code).toBe(3);
  const picture = await lait(directory, ['lint', 'picture.png', 'good.yml']);
  expect(picture.code).toBe(3);
  expect(picture.stdout).toMatch(/^picture\.png:\n.*file_extension.*\ngood\.yml: OK\n$/s);
  const nothing = await lait(directoryWith({ 'docs/README.md': '# No frontmatter\n' }), [
    'lint',
    '.',
    'docs',
  ]);
  expect([nothing.code, nothing.stdout]).toEqual([2, '']);
  expect(nothing.stderr).toContain('no workflow or agent file was found in ., docs');
});

test('lint holds the capabilities and agents of a graph against the configuration', async () => {
  const graph = (capability: string) =>
    JSON.stringify(graphOf([capabilityNode('a', capability), terminal('t')], ['a->t'], { type: 'object' }));
  const directory = directoryWith({
    'lait.config.yml':
      'tools: { save: { command: [cat] } }\ncapabilities: { keep: { tool: save, effects: [kept] } }\n',
    'good.json': graph('keep'),
    'bad.json': graph('kep'),
  });
  const good = await lait(directory, ['lint', 'good.json']);
  expect([good.code, good.stdout]).toEqual([0, 'good.json: OK\n']);
  const bad = await lait(directory, ['lint', 'bad.json']);
  expect([bad.code, bad.stdout]).toEqual([
    3,
    expect.stringContaining("error[capability_disabled]: nodes[0].config.capability_key (id 'a')"),
  ]);
  expect(bad.stdout).toContain("hint: did you mean 'keep'?");
});

test('without a configuration lint says which names of a graph it did not look up, and checks what is built in', async () => {
  const graph = (...nodes: GraphNodeInput[]) =>
    JSON.stringify(graphOf([...nodes, terminal('t')], [`${nodes[0]!.node_id}->t`]));
  const writer = { agent_id: 'writer', output_schema: { type: 'object' } };
  const directory = directoryWith({
    'capability.json': graph(capabilityNode('a', 'keep')),
    'agent.json': graph({ node_id: 'a', node_type: 'agent', config: writer }),
    'built-in.json': graph(capabilityNode('a', 'file_read', { inputs: { relative_path: 'x' } })),
    'wrong.json': graph(capabilityNode('a', 'file_read', { inputs: { relative_path: 1 } })),
  });
  const unchecked = 'agents, capabilities and workflows were not checked';
  for (const file of ['capability.json', 'agent.json']) {
    const { code, stdout, stderr } = await lait(directory, ['--no-config', 'lint', file]);
    expect([code, stdout]).toEqual([0, `${file}: OK\n`]);
    expect(stderr).toContain(unchecked);
  }
  const builtIn = await lait(directory, ['--no-config', 'lint', 'built-in.json']);
  expect([builtIn.code, builtIn.stderr]).toEqual([0, '']);
  const wrong = await lait(directory, ['--no-config', 'lint', 'wrong.json']);
  expect([wrong.code, wrong.stdout]).toEqual([3, expect.stringContaining('error[inputs_value]')]);
});

test('[cli.pipes-refused] commands that run nothing refuse a named pipe at once', async () => {
  const directory = directoryWith({
    'lait.config.yml':
      'workflows: { flow: pipe.yml }\nagents: { helper: pipe.md }\nskills: { tidy: pipe.md }\n',
    'calls.yml':
      'steps:\n  - workflow: ./pipe.yml\n  - agent: ./pipe.md\n' +
      '  - { prompt: x, output_schema: { file: pipe.yml } }\n',
  });
  for (const name of ['pipe.yml', 'pipe.md']) execFileSync('mkfifo', [join(directory, name)]);
  const commands: [string[], number][] = [
    [['lint', 'pipe.yml'], 3],
    [['lint', 'calls.yml'], 3],
    [['graph', 'pipe.yml'], 3],
    [['migrate', 'pipe.yml'], 3],
    [['convert', 'pipe.yml', '--to', 'dynamic'], 3],
    [['workflow', 'list'], 0],
    [['agent', 'list'], 0],
    [['skill', 'list'], 0],
  ];
  for (const [arguments_, expected] of commands) {
    const { code, stdout, stderr } = await lait(directory, arguments_);
    expect([arguments_, code]).toEqual([arguments_, expected]);
    expect(stdout + stderr).toContain('it is a named pipe');
  }
});

test('[cli.schema-matches-reader] what the reader accepts and refuses, the printed schema does, too', async () => {
  const directory = directoryWith({});
  const context: LintContext = {
    services: () => Promise.reject(new Error('not needed')),
    workflows: [],
    signal: new AbortController().signal,
    checkedAnyway: new Set(),
    onUncheckedNames: () => {},
  };
  const validators = Object.fromEntries(
    Object.entries(documentSchemas).map(([kind, schema]) => [
      kind,
      new Ajv2020({ strict: false }).compile(schema()),
    ]),
  );
  const cases: [string, unknown, boolean][] = [
    ['workflow', { steps: [{ jq: '.' }] }, true],
    ['workflow', { steps: [] }, false],
    ['workflow', { steps: [{ jq: '.', run: ['x'] }] }, false],
    ['workflow', { steps: [{ jq: '.', model: 'x' }] }, false],
    ['workflow', { steps: [{ prompt: 'a', temperature: 2.5 }] }, false],
    ['workflow', { steps: [{ for_each: '.', steps: [{ break: true }], retry: { max_attempts: 2 } }] }, true],
    ['workflow', { steps: [{ for_each: '.', steps: [{ break: false }] }] }, false],
    ['workflow', { steps: [{ until: '.', steps: [{ jq: '.' }] }] }, false],
    ['workflow', { steps: [{ parallel: { 'a b': [{ jq: '.' }] } }] }, false],
    ['workflow', { inputs: { a: 'string', b: null, c: { type: 'integer' } }, steps: [{ jq: '.' }] }, true],
    ['workflow', { inputs: { a: 1 }, steps: [{ jq: '.' }] }, false],
    ['workflow', { version: 3, steps: [{ jq: '.' }] }, false],
    ['config', { models: { a: [{ model_id: 'm', provider: { base_url: 'http://x' } }] } }, true],
    ['config', { models: { a: [] } }, false],
    ['config', { modles: {} }, false],
    ['config', { api_key_cmd: ['echo', 'x'], tool_policy: { deny: ['*'] } }, true],
    ['config', { mcp_servers: { a: { url: 'http://x', args: ['y'] } } }, false],
    ['agent', { name: 'a', tools: ['t'], temperature: 1 }, true],
    ['agent', { system: 'x' }, false],
  ];
  const files: Record<string, (value: unknown) => [string, string]> = {
    workflow: (value) => ['w.yml', JSON.stringify(value)],
    config: (value) => ['lait.config.yml', JSON.stringify(value)],
    agent: (value) => ['a.md', `---\n${JSON.stringify(value)}\n---\nhello\n`],
  };
  for (const [kind, value, accepted] of cases) {
    const [file, text] = files[kind]!(value);
    writeFileSync(join(directory, file), text);
    const { diagnostics } = await lintFile(join(directory, file), context);
    const read = diagnostics.every(({ severity }) => severity !== 'error');
    expect([value, validators[kind]!(value), read, diagnostics]).toEqual([
      value,
      accepted,
      accepted,
      diagnostics,
    ]);
  }
  const { stdout } = await lait(directory, ['schema', 'workflow']);
  expect(JSON.parse(stdout)).toEqual(documentSchemas.workflow());
});

test('init writes files that pass lint, never overwrites, and keeps .lait out of git', async () => {
  const directory = directoryWith({ '.gitignore': 'dist' });
  for (const [kind, scaffold] of Object.entries(scaffolds)) {
    const args = kind === 'config' ? ['init'] : ['init', kind];
    expect(await lait(directory, args)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(directory, scaffold.path), 'utf8')).toBe(scaffold.text);
    const again = await lait(directory, args);
    expect([again.code, again.stderr.includes(scaffold.path)]).toEqual([1, true]);
    if (kind !== 'test')
      expect((await lait(directory, ['lint', scaffold.path])).stdout).toBe(`${scaffold.path}: OK\n`);
  }
  expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('dist\n.lait/\n');
  expect(await lait(directory, ['init', 'agent', 'new/place/x.md'])).toMatchObject({ code: 0 });
  expect(existsSync(join(directory, 'new/place/x.md'))).toBe(true);
  expect((await lait(directory, ['init', 'workflow', 'x.txt'])).code).toBe(2);
  expect((await lait(directory, ['init', 'flow.yml'])).code).toBe(2);
});

test('models lists aliases without running key commands or needing variables', async () => {
  const server = await startModelServer(json({ object: 'list', data: [{ id: 'b' }, { id: 'a' }] }));
  const directory = directoryWith({
    'lait.config.yml': `default: { model: local }\nmodels:\n  local: [ { provider: { base_url: "${server.baseUrl}" }, model_id: m } ]\n  cloud: [ { provider: { base_url: "http://\${UNSET}/v1", api_key_cmd: "touch ran.txt" }, model_id: c }, { model_id: d } ]\n`,
  });
  const text = await lait(directory, ['models']);
  expect(text.code).toBe(0);
  expect(text.stdout).toMatch(/^\* {2}local/m);
  const document = JSON.parse((await lait(directory, ['models', '--json'])).stdout);
  expect(document).toMatchObject({
    default_model: 'local',
    models: [
      { name: 'local', default: true, model_id: 'm', fallbacks: [] },
      { name: 'cloud', default: false, model_id: 'c', fallbacks: ['d'] },
    ],
  });
  expect(existsSync(join(directory, 'ran.txt'))).toBe(false);
  const remote = await lait(directory, ['models', '--remote'], {
    env: { OPENAI_API_KEY: 'sk-from-environment' },
  });
  expect(remote).toMatchObject({ code: 0, stdout: 'b\na\n', stderr: '' });
  expect(server.requests.at(-1)!.headers.authorization).toBe('Bearer sk-from-environment');
  const dead = await lait(directory, ['models', '--remote', '--base-url', 'http://127.0.0.1:1/v1']);
  expect([dead.code, dead.stdout]).toEqual([4, '']);
});

test('doctor names what is missing, gives hints, and never shows a key', async () => {
  const server = await startModelServer(json({ data: [{ id: 'other' }] }));
  const directory = directoryWith({
    'good/lait.config.yml': `default: { model: local }\nmodels:\n  local: [ { provider: { base_url: "${server.baseUrl}", api_key: sk-hidden-key-1 }, model_id: other } ]\nagents: { a: a.md }\n`,
    'good/a.md': '---\ndescription: x\n---\nhi\n',
    'bad/lait.config.yml':
      'default: { model: local }\nmodels:\n  local: [ { provider: { base_url: "http://127.0.0.1:1/v1" }, model_id: m } ]\n  keyed: [ { provider: { base_url: "http://127.0.0.1:1/v1", api_key: "${NOT_SET}" }, model_id: m } ]\nskills: { s: nowhere.md }\nmcp_servers: { m: { command: no-such-program-here } }\n',
    'broken/lait.config.yml': 'modles: {}\ndefault: 1\n',
  });
  const good = await lait(join(directory, 'good'), ['doctor']);
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).not.toMatch(/^(WARN|NG)/m);
  const bad = await lait(join(directory, 'bad'), ['doctor', '--json']);
  const { ok, findings } = JSON.parse(bad.stdout);
  expect([bad.code, ok]).toEqual([1, false]);
  const status = (subject: string) =>
    findings
      .filter((finding: { subject: string }) => finding.subject === subject)
      .map(({ status }: { status: string }) => status);
  expect(['models.local', 'models.keyed', 'skills.s', 'mcp_servers.m'].map(status)).toEqual([
    ['ng'],
    ['warn'],
    ['ng'],
    ['ng'],
  ]);
  const broken = await lait(join(directory, 'broken'), ['doctor']);
  expect([broken.code, broken.stdout.match(/^NG /gm)?.length]).toEqual([1, 3]);
  expect(good.stdout + bad.stdout + bad.stderr).not.toContain('sk-hidden-key-1');
});

test('registered files are listed with their descriptions; broken ones with a warning', async () => {
  const directory = directoryWith({
    'lait.config.yml': 'workflows: { ok: w.yml, broken: b.yml }\nagents: { a: a.md }\nskills: { s: s }\n',
    'w.yml': 'description: 要約する\nsteps:\n  - jq: .\n',
    'b.yml': 'steps: 1\n',
    'a.md': '---\ndescription: helps\n---\nx\n',
    's/SKILL.md': '---\ndescription: brevity\n---\nbe brief\n',
  });
  const workflows = await lait(directory, ['workflow', 'list', '--json']);
  expect(JSON.parse(workflows.stdout)).toEqual([
    { name: 'ok', path: 'w.yml', description: '要約する' },
    { name: 'broken', path: 'b.yml', description: null },
  ]);
  expect(workflows.stderr).toMatch(/^warning: .*broken/m);
  expect((await lait(directory, ['agent', 'list'])).stdout).toBe('a  a.md  helps\n');
  expect((await lait(directory, ['skill', 'list'])).stdout).toBe('s  s  brevity\n');
});

test('explain knows every code', async () => {
  const directory = directoryWith({});
  const list = await lait(directory, ['explain']);
  for (const code of Object.keys(explanations)) expect(list.stdout).toContain(`${code} `);
  expect((await lait(directory, ['explain', 'duplicate_id'])).stdout).toMatch(
    /^duplicate_id: .*\n\n.*\n\nExample:\n {2}/,
  );
  expect((await lait(directory, ['explain', 'duplicate-step-id'])).stdout).toBe(
    'duplicate-step-id: Two steps with one id\n',
  );
  expect((await lait(directory, ['explain', 'duplicate_ids'])).stderr).toContain(
    "did you mean 'duplicate_id'?",
  );
});

test('completion proposes commands, options, their values, files, names and run ids', async () => {
  const directory = directoryWith({
    'lait.config.yml': 'workflows: { nightly: w.yml }\n',
    'w.yml': 'steps:\n  - id: first\n    jq: .\n  - jq: .\n  - id: last\n    jq: .\n',
    '.lait/runs/20260101-000000-1-1-0.json': '{}',
  });
  const propose = async (...words: string[]) =>
    (await lait(directory, ['__complete', '--', ...words])).stdout.split('\n').slice(0, -1);
  expect(await propose('ru')).toContain('run');
  expect(await propose('run', '--prog')).toEqual(['--progress']);
  expect(await propose('run', '--progress', 'p')).toEqual(['plain']);
  expect(await propose('run', 'n')).toEqual(['nightly', ':files']);
  expect(await propose('run', 'w.yml', '--from', '')).toEqual(['first', 'last']);
  expect(await propose('run', 'w.yml', '--resume', '')).toEqual(['latest', '20260101-000000-1-1-0']);
  expect(await propose('schema', 'con')).toEqual(['config']);
  expect(await propose('workflow', '')).toEqual(['list']);
  expect(await propose('explain', 'duplicate_i')).toEqual(['duplicate_id']);
  expect(await propose('tokens', 'create', 'ci', '--scope', 'r')).toEqual(['read', 'run']);
  expect(await propose('init', '--example', 'tri')).toEqual(['triage']);
  expect(await propose('run', 'w.yml', '--limit', 'max_c')).toEqual(['max_cost=']);
  expect(await propose('man', 'tok')).toEqual(['tokens']);
});

test('a wrong call is told with the help of its command, and a file that is not there is one [cli.exit-codes]', async () => {
  const directory = directoryWith({ 'q.yml': 'steps: [{ ask: "続ける?" }]\n', 'a.yml': 'q: [\n' });
  const refused = async (...args: string[]) => {
    const { code, stderr } = await lait(directory, args);
    return [code, stderr];
  };
  expect(await refused('init', 'wrkflow')).toEqual([
    2,
    "lait: 'wrkflow' is no kind: give one of workflow, agent, test; see `lait init --help`\n",
  ]);
  expect(await refused('runs', 'answer')).toEqual([
    2,
    "lait: missing required argument 'run-id'; see `lait runs answer --help`\n",
  ]);
  for (const args of [
    ['run', 'q.yml', 'x', '--answers', 'none.yml'],
    ['run', 'q.yml', '--input-json', '@none.yml'],
    ['migrate', 'none.yml'],
    ['trace', 'show', 'none.yml'],
    ['decide', '--questions', 'none.yml', 'x'],
  ])
    expect([args, await refused(...args)]).toEqual([args, [2, 'lait: cannot read none.yml: no such file\n']]);
  const [code, stderr] = await refused('run', 'q.yml', 'x', '--answers', 'a.yml');
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^lait: --answers a\.yml: .* line 2, column 1\n$/),
  ]);
});

test('the bash script completes in a real shell', async () => {
  const directory = directoryWith({ 'work flow.yml': '' });
  mkdirSync(join(directory, 'bin'));
  const launcher = new URL('../../bin/lait.js', import.meta.url).pathname;
  writeFileSync(join(directory, 'bin/lait'), `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n`, {
    mode: 0o755,
  });
  const script = (await lait(directory, ['completions', 'bash'])).stdout;
  const ask = (words: string[]) => {
    const program = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _lait; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: `${join(directory, 'bin')}:${process.env.PATH}`, HOME: directory };
    return spawnSync('bash', ['-c', program], { cwd: directory, env, encoding: 'utf8' })
      .stdout.trimEnd()
      .split('\n');
  };
  expect(ask(['lait', 'compl'])).toEqual(['completions']);
  expect(ask(['lait', 'lint', 'work'])).toEqual(['work flow.yml']);
  for (const shell of ['zsh', 'fish', 'powershell']) {
    expect((await lait(directory, ['completions', shell])).stdout).toContain('__complete');
  }
});
