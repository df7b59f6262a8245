import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CancelledError } from '../../src/errors/errors.js';
import type { ToolCallContext } from '../../src/kinds/services.js';
import { defineTool } from '../../src/tools/define-tool.js';
import { createToolService, type ToolServiceOptions } from '../../src/tools/tool-service.js';
import type { JsonObject } from '../../src/values/value.js';
import { processesWith, testVariables, uniqueSleep, until } from './processes.js';

let directory: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(path.join(tmpdir(), 'lait-tools-')));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const { signal } = new AbortController();
const callContext: ToolCallContext = { signal, idempotencyKey: 'key-1', runId: 'r' };

function service(options: Partial<ToolServiceOptions> = {}) {
  return createToolService({
    environment: { variables: testVariables, workingDirectory: directory },
    ...options,
  });
}

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

async function shell(settings: NonNullable<ToolServiceOptions['tools']>[string], variables = testVariables) {
  const tools = service({ tools: { t: settings }, environment: { variables, workingDirectory: directory } });
  const { tools: opened } = await tools.open({ tools: ['t'] }, { signal });
  return opened[0]!;
}

describe('shell tools', () => {
  it('are told to the model as they are configured', async () => {
    const tool = await shell({ command: ['echo'], description: 'says it', parameters: text });
    expect(tool.definition).toEqual({
      type: 'function',
      function: { name: 'tool__t', description: 'says it', parameters: text },
    });
    expect((await shell({ command: ['echo'] })).definition).toEqual({
      type: 'function',
      function: { name: 'tool__t', parameters: { type: 'object', properties: {} } },
    });
  });

  it('[tools.arguments-stay-arguments] put a template in one argument each, with empty standard input', async () => {
    const tool = await shell({
      command: ['sh', '-c', 'cat; printf "<%s>" "$@"', 'sh', '{{ input.text }}', '-'],
    });
    const hostile = "a b; rm -rf $HOME `id` '{{ input }}'";
    expect(await tool.call({ text: hostile }, callContext)).toEqual({
      text: `<${hostile}><->`,
      isError: false,
    });
    expect(tool.preview!({ text: hostile })).toEqual([
      'sh',
      '-c',
      'cat; printf "<%s>" "$@"',
      'sh',
      hostile,
      '-',
    ]);
  });

  it('do not reach prototypes through their arguments', async () => {
    const tool = await shell({ command: ['echo', '{{ input.__proto__.polluted }}'] });
    const result = await tool.call(JSON.parse('{"__proto__": {"polluted": "yes"}}'), callContext);
    expect(({} as JsonObject).polluted).toBeUndefined();
    expect(result).toEqual({ text: 'yes', isError: false });
    expect((await tool.call({}, callContext)).isError).toBe(true);
  });

  const told: [string, Parameters<typeof shell>[0], JsonObject, RegExp][] = [
    [
      'a nonzero exit',
      { command: ['sh', '-c', 'echo out; echo "no paper" >&2; exit 4'] },
      {},
      /status 4: no paper\nstandard output: out/,
    ],
    ['its own timeout', { command: ['sleep', '60'], timeout: 1 }, {}, /'t' took longer than 1 s/],
    ['a missing template value', { command: ['echo', '{{ input.x }}'] }, {}, /input\.x/],
    [
      'arguments of the wrong type',
      { command: ['echo'], parameters: text },
      { text: 5 },
      /\/text must be string/,
    ],
    ['a missing argument', { command: ['echo'], parameters: text }, {}, /required property 'text'/],
    [
      'arguments that break a pattern',
      { command: ['echo'], parameters: { type: 'object', properties: { f: { pattern: '^[a-z]+$' } } } },
      { f: '--force' },
      /\/f must match pattern/,
    ],
    ['output that is no text', { command: ['printf', '\\377'] }, {}, /not valid UTF-8/],
    ['too much output', { command: ['head', '-c', '100000000', '/dev/zero'] }, {}, /printed more than/],
    ['a program that is not there', { command: ['no-such-program-y'] }, {}, /no-such-program-y/],
    ['an unset variable', { command: ['echo'], cwd: '${NOT_SET_Y}' }, {}, /NOT_SET_Y is not set/],
  ];
  it.each(told)('[tools.failures-told] tell the model about %s', async (_, settings, input, message) => {
    const tool = await shell(settings);
    const result = await tool.call(input, callContext);
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(message);
  });

  it('do not start a command whose arguments do not fit', async () => {
    const tool = await shell({ command: ['touch', 'ran.txt'], parameters: text });
    await tool.call({ g: 'x' }, callContext);
    expect(await readdir(directory)).not.toContain('ran.txt');
  });

  it('see only what env lists, and the idempotency key by name', async () => {
    const variables = { PATH: '/usr/bin:/bin', TOKEN: 'tok' };
    const listed = await shell({ command: ['/usr/bin/env'], env: { A: '${TOKEN}!' } }, variables);
    expect((await listed.call({}, callContext)).text).toBe('A=tok!');
    const inheriting = await shell({ command: ['sh', '-c', 'echo $TOKEN $LAIT_IDEMPOTENCY_KEY'] }, variables);
    expect((await inheriting.call({}, callContext)).text).toBe('tok key-1');
  });

  it('end with their whole process tree when the run is cancelled, which is not told to the model', async () => {
    const sleep = uniqueSleep();
    const tool = await shell({ command: ['sh', '-c', `sleep ${sleep} & sleep ${sleep}`] });
    const controller = new AbortController();
    const reason = new CancelledError();
    const call = tool.call({}, { ...callContext, signal: controller.signal });
    await until(() => processesWith(sleep).length >= 2);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(processesWith(sleep)).toEqual([]);
  });

  it('are called directly with the text that was printed as value', async () => {
    const tool = service({
      tools: { t: { command: ['echo', '{{ input.text }}'], parameters: text } },
    }).registered('t')!;
    const context = { ...callContext, state: {}, setState() {}, suspend: () => Promise.reject() };
    expect(await tool.execute({ text: '{"a":1}' }, context)).toBe('{"a":1}');
    expect(tool).toMatchObject({ id: 't', inputSchema: text, outputSchema: { type: 'string' } });
    await expect(tool.execute({ text: 1 }, context)).rejects.toMatchObject({
      code: 'tool_arguments_invalid',
    });
  });

  it('are refused at once when their templates are wrong', () => {
    const tools = { a: { command: ['echo', '{{ oops'] }, b: { command: ['echo', '{{ steps.x }}'] } };
    expect(() => service({ tools })).toThrow(/tools\.a: .*\n.*tools\.b: .*'steps'/s);
  });
});

describe('opening tools', () => {
  const tools = { echo: { command: ['echo'] }, other: { command: ['echo'] } };

  it('names every unknown name at once and suggests one', async () => {
    const opening = service({ tools, skills: { tidy: '/x' } }).open(
      { tools: ['ech', 'echo'], mcp: ['nowhere'], subagents: ['ghost'], skills: ['tidi'] },
      { signal },
    );
    await expect(opening).rejects.toMatchObject({
      category: 'definition',
      diagnostics: [{}, {}, { message: expect.stringContaining("did you mean 'echo'") }, {}],
    });
  });

  it('refuses names that are too long or collide', async () => {
    const long = 'x'.repeat(60);
    const names = { 'a.b': tools.echo, a_b: tools.echo, [long]: tools.echo };
    const opening = service({ tools: names }).open({ tools: Object.keys(names) }, { signal });
    await expect(opening).rejects.toThrow(
      /longer than 64[\s\S]*'a.b' and tool 'a_b' have the same name 'tool__a_b'|'a.b' and tool 'a_b' have the same name 'tool__a_b'[\s\S]*longer than 64/,
    );
  });

  it('refuses parameters that are no JSON Schema before a model sees them', async () => {
    const broken = { t: { command: ['echo'], parameters: { type: 'objekt' } } };
    const opening = service({ tools: broken }).open({ tools: ['t'] }, { signal });
    await expect(opening).rejects.toMatchObject({
      category: 'definition',
      message: expect.stringContaining('tools.t.parameters'),
    });
  });

  it('knows the secrets of env before anything could show them', () => {
    const secrets: string[] = [];
    const env = { API_KEY: 'written-out', X: '${MY_TOKEN}', HOME: '${HOME}', AUTH: 'Bearer ${PASS}' };
    service({
      tools: { t: { command: ['echo'], env } },
      environment: {
        variables: { MY_TOKEN: 'tok', HOME: '/home/me', PASS: 'word' },
        workingDirectory: directory,
      },
      onSecret: (value) => secrets.push(value),
    });
    expect(secrets).toEqual(['written-out', 'tok', 'word']);
  });

  it('[tools.wire-order] lists subagents, shell tools and skills in this order', async () => {
    await writeFile(path.join(directory, 's.md'), 'be brief');
    const opened = await service({
      tools,
      skills: { brief: path.join(directory, 's.md') },
      progressiveSkills: true,
      subagents: { names: () => ['scout'], describe: async () => ({ description: 'looks around' }) },
    }).open({ skills: ['brief'], tools: ['other', 'echo'], subagents: ['scout'] }, { signal });
    expect(opened.tools.map(({ definition }) => definition.function.name)).toEqual([
      'agent__scout',
      'tool__other',
      'tool__echo',
      'skill__brief',
    ]);
    expect(opened.tools[0]).toMatchObject({
      subagent: 'scout',
      definition: {
        function: {
          description: 'looks around',
          parameters: { required: ['input'], properties: { input: {} } },
        },
      },
    });
  });

  it('gives a subagent its own parameters and a description', async () => {
    const inputSchema = { type: 'object', properties: { place: { type: 'string' } } };
    const { tools: opened } = await service({
      subagents: { names: () => ['scout'], describe: async () => ({ inputSchema }) },
    }).open({ subagents: ['scout'] }, { signal });
    expect(opened[0]!.definition.function).toMatchObject({
      parameters: inputSchema,
      description: expect.stringContaining('scout'),
    });
  });
});

describe('skills', () => {
  it('[tools.skills-in-prompt] add name, description and body in list order, untouched', async () => {
    await writeFile(
      path.join(directory, 'tidy.md'),
      '---\nname: tidy\ndescription: keep it tidy\n---\n- sweep the {{ floor }}\n',
    );
    await mkdir(path.join(directory, 'brief'));
    await writeFile(path.join(directory, 'brief', 'SKILL.md'), '---\r\n---\r\nsay little 🍵');
    const skills = { tidy: path.join(directory, 'tidy.md'), brief: path.join(directory, 'brief') };
    const { systemSuffix, tools } = await service({ skills }).open({ skills: ['tidy', 'brief'] }, { signal });
    expect(systemSuffix).toBe(
      '## Skill: tidy\n\nkeep it tidy\n\n- sweep the {{ floor }}\n\n## Skill: brief\n\nsay little 🍵',
    );
    expect(tools).toEqual([]);
    expect(await service().open({}, { signal })).toEqual({ tools: [], systemSuffix: '' });
  });

  it('are read through a tool when disclosed progressively', async () => {
    await writeFile(path.join(directory, 'long.md'), '---\ndescription: all about tea\n---\nBoil water.');
    const skills = { 'tea time': path.join(directory, 'long.md') };
    const { systemSuffix, tools } = await service({ skills, progressiveSkills: true }).open(
      { skills: ['tea time'] },
      { signal },
    );
    expect(systemSuffix).toContain('all about tea');
    expect(systemSuffix).toContain('skill__tea_time');
    expect(systemSuffix).not.toContain('Boil water');
    expect(await tools[0]!.call({}, callContext)).toEqual({ text: 'Boil water.', isError: false });
  });

  it.each([
    ['---\nname: x\n', /no closing '---'/],
    ['---\na: [\n---\n', /no YAML/],
    [`---\na: ${'['.repeat(300)}\n---\n`, /no YAML: nested deeper than 200 levels/],
    ['---\n- a\n---\n', /no mapping/],
    ['---\ndescription: 5\n---\n', /description is no text/],
  ])('that are broken name the skill and its file: %j', async (content, message) => {
    const file = path.join(directory, 'bad.md');
    await writeFile(file, content);
    const opening = service({ skills: { bad: file } }).open({ skills: ['bad'] }, { signal });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow(file);
  });

  it('that are missing name the file', async () => {
    const opening = service({ skills: { gone: '/no/such.md' } }).open({ skills: ['gone'] }, { signal });
    await expect(opening).rejects.toThrow('/no/such.md');
  });
});

describe('policy and approval', () => {
  const tools = { good: { command: ['echo'] }, bad: { command: ['echo', '{{ input.x }}'] } };
  const context = { ...callContext, state: {}, setState() {}, suspend: () => Promise.reject() };
  const decide = async (options: Partial<ToolServiceOptions>, ...names: string[]) => {
    const created = service({ tools, ...options });
    const opened = await created.open({ tools: names }, { signal });
    const decisions = [];
    for (const tool of opened.tools) decisions.push(await created.decide(tool, { x: 'y' }, { signal }));
    return decisions;
  };

  it.each([
    [{}, ['allowed', 'allowed']],
    [{ deny: ['tool__*'] }, ['denied', 'denied']],
    [{ allow: ['tool__go*'] }, ['allowed', 'denied']],
    [{ allow: ['*'], deny: ['tool__good'] }, ['denied', 'allowed']],
    [{ allow: ['*ad'] }, ['denied', 'allowed']],
    [{ allow: ['*__b*'] }, ['denied', 'allowed']],
    [{ allow: [] }, ['allowed', 'allowed']],
    [{ allow: ['t*d'] }, ['denied', 'denied']],
    [{ deny: ['*'] }, ['denied', 'denied']],
  ])('[tools.policy] %j', async (policy, expected) => {
    expect(await decide({ policy }, 'good', 'bad')).toEqual(expected);
  });

  it('keep workflows from calling a denied tool directly', () => {
    const tool = service({ tools, policy: { deny: ['tool__good'] } }).registered('good')!;
    expect(() => tool.execute({}, context)).toThrow(/tool_policy.*tool__good/);
  });

  it('[tools.approval] show the arguments and the real command, and remember always', async () => {
    const shown: string[] = [];
    const replies = ['no', 'always'] as const;
    const approve = async (question: string) => {
      shown.push(question);
      return replies[shown.length - 1]!;
    };
    const created = service({ tools, approve });
    const { tools: opened } = await created.open({ tools: ['bad'] }, { signal });
    const ask = () => created.decide(opened[0]!, { x: 'a"b' }, { signal });
    expect([await ask(), await ask(), await ask()]).toEqual(['rejected', 'approved', 'approved']);
    expect(shown).toHaveLength(2);
    expect(shown[0]).toBe(
      'the model wants to call tool__bad\n  arguments: {"x":"a\\"b"}\n  runs: ["echo","a\\"b"]',
    );
  });

  it('ask one question at a time and nothing once cancelled', async () => {
    let open = 0;
    let most = 0;
    const approve = async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return 'yes' as const;
    };
    const created = service({ tools, approve });
    const { tools: opened } = await created.open({ tools: ['good', 'bad'] }, { signal });
    await Promise.all(opened.map((tool) => created.decide(tool, {}, { signal })));
    expect(most).toBe(1);
    await expect(created.decide(opened[0]!, {}, { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('fail the request when nobody can be asked', async () => {
    const approve = () => Promise.reject(new Error('--approve-tools needs a terminal'));
    await expect(decide({ approve }, 'good')).rejects.toThrow('--approve-tools');
  });
});

describe('tools given in code', () => {
  it('are offered to models and called directly, under one name', async () => {
    const add = defineTool({
      description: 'adds',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      execute: ({ a, b }) => ({ sum: a + b }),
    });
    const created = service({ codeTools: { add } });
    const { tools } = await created.open({ tools: ['add'] }, { signal });
    expect(tools[0]!.definition.function).toMatchObject({ name: 'tool__add', description: 'adds' });
    expect(await tools[0]!.call({ a: 1, b: 2 }, callContext)).toEqual({ text: '{"sum":3}', isError: false });
    expect(await tools[0]!.call({ a: 'x' }, callContext)).toMatchObject({ isError: true });
    expect(created.registeredKeys()).toEqual(['add']);
    expect(created.registered('constructor')).toBeUndefined();
  });

  it('are registered under their key, which no other tool may have, and remember their own id', () => {
    const tool = defineTool({ id: 'own', execute: () => 1 });
    expect(service({ codeTools: { key: tool } }).registered('key')).toMatchObject({
      id: 'key',
      ownId: 'own',
    });
    expect(service({ codeTools: { key: tool } }).registered('own')).toBeUndefined();
    expect(() => service({ codeTools: { key: tool }, tools: { key: { command: ['echo'] } } })).toThrow(
      /'key' is given twice/,
    );
  });

  it('cannot wait for a person inside a call by a model', async () => {
    const tool = defineTool({ execute: (_, context) => context.suspend('?') });
    const { tools } = await service({ codeTools: { tool } }).open({ tools: ['tool'] }, { signal });
    expect(await tools[0]!.call({}, callContext)).toMatchObject({
      isError: true,
      text: expect.stringContaining('cannot do'),
    });
  });
});
