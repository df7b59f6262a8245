import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';

interface Found {
  file: string;
  line: number | null;
  severity: string;
  code: string;
  message: string;
  hint?: string;
}

async function lint(files: Record<string, string>, paths = Object.keys(files).slice(0, 1)) {
  const directory = directoryWith(files);
  const { code, stdout, stderr } = await lait(directory, ['lint', ...paths, '--format', 'json']);
  const found = JSON.parse(stdout) as Found[];
  return { code, found, stderr, lines: found.map(({ code, line }) => `${line} ${code}`) };
}

const config = 'mcp_servers: { files: { command: x } }\ntools: { rg: { command: [rg] } }\n';

describe('lait lint', () => {
  it('[lint.names] finds names that nothing is registered under, with their places', async () => {
    const { code, found } = await lint({
      'w.yml': `default: { skills: [no_skill] }\nagents: { a: { system: s, subagents: [no_sub] } }\nsteps:\n  - agent: a\n  - for_each: .\n    steps:\n      - prompt: x\n        mcp: [files, fils]\n        tools: [rg]\n  - agent: ghost\n  - workflow: no_flow\n`,
      'lait.config.yml': config,
    });
    expect(code).toBe(3);
    expect(found.map(({ line, message }) => `${line} ${message}`)).toEqual([
      "1 default.skills: 'no_skill' is not registered under skills: of lait.config.yml",
      "2 agents.a.subagents: 'no_sub' is not registered under agents: of lait.config.yml",
      "8 mcp: 'fils' is not registered under mcp_servers: of lait.config.yml",
      expect.stringContaining("10 agent: there is no agent 'ghost'"),
      expect.stringContaining("11 workflow: no workflow 'no_flow'"),
    ]);
    expect(found[2]!.hint).toBe("did you mean 'files'?");
  });

  it('skips names without a configuration, with one warning', async () => {
    const files = {
      'a.yml': 'steps:\n  - prompt: x\n    mcp: [m]\n    tools: [t]\n',
      'b.yml': 'steps:\n  - prompt: x\n    mcp: [m]\n  - workflow: w\n',
    };
    const { code, found, stderr } = await lint(files, ['a.yml', 'b.yml']);
    expect([code, found]).toEqual([0, []]);
    expect(stderr.match(/warning/g)).toHaveLength(1);
  });

  it('[lint.conditions] finds conditions that never change and steps that never run', async () => {
    const { lines } = await lint({
      'w.yml': `steps:\n  - when: 'true'\n    jq: .\n  - when: '1 == 2'\n    jq: .\n  - when: .ok\n    jq: .\n  - when: '$steps | length > 0'\n    jq: .\n  - when: '"a" == "\\(.)"'\n    jq: .\n  - when: now > 5\n    jq: .\n  - group:\n      - when: .x\n        stop: true\n      - jq: .\n      - stop: true\n      - jq: .\n`,
    });
    expect(lines).toEqual(['2 constant_condition', '4 constant_condition', '19 unreachable_step']);
  });

  it('[lint.conditions] finds assignments where a comparison was meant', async () => {
    const { code, found } = await lint({
      'w.yml': `steps:\n  - when: .a = "b"\n    jq: .\n  - switch:\n      - when: .x | .y = 1 | not\n        steps: [ { jq: . } ]\n    else: [ { jq: . } ]\n  - while: .a and (.b = 2)\n    max_iterations: 2\n    steps: [ { jq: . } ]\n  - when: (.a = 1) | .a == 1\n    jq: .a = 1\n  - when: .a == 1 and .b != 2\n    jq: .\n`,
    });
    expect(code).toBe(0);
    expect(found.map(({ line, code, message, hint }) => [line, code, message.split(': ')[0], hint])).toEqual([
      [2, 'assignment_as_condition', 'when', "did you mean '=='?"],
      [5, 'assignment_as_condition', 'switch[0].when', "did you mean '=='?"],
      [8, 'assignment_as_condition', 'while', "did you mean '=='?"],
    ]);
  });

  it('finds misspelt keywords of declared inputs, and leaves others alone', async () => {
    const { code, found } = await lint({
      'w.yml': `inputs:\n  a: { type: string, defualt: x }\n  b: { type: string, x-order: 1, minLength: 2, format: date, widget: big }\nsteps:\n  - jq: .\n`,
    });
    expect(code).toBe(0);
    expect(found).toMatchObject([
      { line: 2, column: 22, code: 'unknown_keyword', severity: 'warning', hint: "did you mean 'default'?" },
    ]);
  });

  it('[lint.retries] warns of retries that run a program again', async () => {
    const { code, lines } = await lint({
      'w.yml': `steps:\n  - run: [curl]\n    retry: { max_attempts: 3 }\n  - run: [curl]\n    retry: { max_attempts: 1 }\n  - group: [ { jq: . }, { run: [x] } ]\n    retry: { max_attempts: 2 }\n  - jq: .\n    retry: { max_attempts: 3 }\n`,
    });
    expect([code, lines]).toEqual([0, ['3 retry_repeats_effect', '7 retry_repeats_effect']]);
  });

  it('[lint.types] finds references that a schema rules out', async () => {
    const schema =
      '{ type: object, properties: { city: { type: string }, tags: { type: array, items: { type: string } }, any: {} }, additionalProperties: false }';
    const { lines } = await lint({
      'w.yml': `default: { model: m }\nschemas:\n  s: ${schema}\nsteps:\n  - id: a\n    prompt: x\n    output_schema: s\n  - jq: '[$steps.a.city, $steps.a.tags[0], $steps.a.any.thing, $steps.a.city | length]'\n  - jq: $steps.a.town\n  - jq: $steps.a.city.name\n  - jq: $steps.a.tags.name\n  - id: b\n    prompt: x\n    output_schema: s\n    output: .city\n  - jq: $steps.b.town\n  - prompt: x\n    output_schema: s\n  - prompt: "{{ input.town }}"\n`,
    });
    expect(lines).toEqual([
      '9 impossible_reference',
      '10 impossible_reference',
      '11 impossible_reference',
      '19 impossible_reference',
    ]);
  });

  it('[lint.files] finds agents, schemas and children that cannot be used, and what is wrong in them', async () => {
    const { code, found } = await lint({
      'w.yml': `schemas: { gone: { file: gone.json } }\nsteps:\n  - agent: ./no.md\n  - agent: ./broken.md\n  - prompt: x\n    output_schema: { file: bad.json }\n  - workflow: ./sub/child.yml\n  - workflow: ./none.yml\n  - prompt: x\n    output_schema: gone\n  - agent: ./reads.md\n`,
      'broken.md': '---\nname: b\n---\n{{ input\n',
      'reads.md': '---\nname: r\n---\n{{ inputs.lang }}\n',
      'bad.json': 'not json',
      'sub/child.yml': 'steps:\n  - jq: $inputs.zap\n  - workflow: ./grand.yml\n',
      'sub/grand.yml': 'steps:\n  - jq: "["\n',
    });
    expect(code).toBe(3);
    const places = found.map(
      ({ file, line, code: what }) => `${file.replace(/^\/.*\//, '')}:${line} ${what}`,
    );
    expect(places).toEqual([
      'w.yml:3 unreadable_agent',
      'w.yml:4 unreadable_agent',
      'w.yml:6 unreadable_schema',
      'w.yml:8 unreadable_workflow',
      'w.yml:10 unreadable_schema',
      'w.yml:11 undeclared_input',
      'broken.md:4 template_syntax',
      'sub/child.yml:2 undeclared_input',
      'sub/child.yml:3 unreadable_workflow',
      'sub/grand.yml:2 jq_syntax',
    ]);
    expect(found.find(({ file }) => file === 'sub/child.yml')!.message).toMatch(/^sub\/child\.yml: /);
  });

  it('[lint.files] reads the files of schemas that nothing uses, too', async () => {
    const { code, lines } = await lint({
      'w.yml': 'schemas:\n  idle: { file: gone.json }\nsteps:\n  - jq: .\n',
    });
    expect([code, ...lines]).toEqual([3, '2 unused_schema', '2 unreadable_schema']);
  });

  it('[lint.placement] finds steps of children that their concurrent callers refuse, at any depth', async () => {
    const { code, found } = await lint({
      'w.yml':
        'steps:\n' +
        '  - parallel: { a: [ { workflow: ./asks.yml } ], b: [ { workflow: ./writes.yml } ] }\n' +
        '  - for_each: .\n    max_concurrency: 2\n    steps:\n      - group: [ { workflow: ./middle.yml } ]\n' +
        '  - for_each: .\n    steps: [ { workflow: ./middle.yml } ]\n' +
        '  - workflow: ./concurrent.yml\n',
      'asks.yml': 'steps:\n  - { id: question, ask: "ok?", default: y }\n',
      'writes.yml': 'steps:\n  - { id: save, write: out.txt }\n',
      'middle.yml': 'steps:\n  - workflow: ./asks.yml\n  - workflow: ./writes.yml\n',
      'concurrent.yml': 'steps:\n  - parallel: { a: [ { workflow: ./middle.yml } ] }\n',
    });
    expect(code).toBe(3);
    expect(found.map(({ file, line, code: what }) => `${file}:${line} ${what}`)).toEqual([
      'w.yml:2 question_in_concurrent',
      'w.yml:6 question_in_concurrent',
      'w.yml:6 fixed_write_in_concurrent',
      'concurrent.yml:2 question_in_concurrent',
    ]);
    expect(found[1]!.message).toContain('asks.yml: ask cannot be used where steps run at the same time');
    expect(found[2]!.message).toContain("(id 'save')");
  });

  it('looks at children that are shared along many paths only once', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `f${at}.yml`,
        `steps:\n  - workflow: ./f${at + 1}.yml\n  - workflow: ./f${at + 1}.yml\n`,
      ]),
    );
    const { found } = await lint({
      'w.yml': 'steps:\n  - parallel: { a: [ { workflow: ./f0.yml } ] }\n',
      ...files,
      'f30.yml': 'steps:\n  - { ask: "ok?", default: y }\n',
    });
    expect(found.map(({ code }) => code)).toEqual(['question_in_concurrent']);
  });

  it('[lint.cycles] finds workflows that call each other in a circle', async () => {
    const { code, found } = await lint({
      'a.yml': 'steps:\n  - workflow: ./b.yml\n',
      'b.yml': 'steps:\n  - workflow: ./a.yml\n',
    });
    expect([code, found.map(({ file, code: what }) => `${file} ${what}`)]).toEqual([
      3,
      ['b.yml workflow_cycle'],
    ]);
    const own = await lint({ 'a.yml': 'steps:\n  - workflow: ./a.yml\n' });
    expect(own.lines).toEqual(['2 workflow_cycle']);
  });

  it('checks children that are given themselves only once', async () => {
    const files = { 'a.yml': 'steps:\n  - workflow: ./b.yml\n', 'b.yml': 'steps:\n  - jq: $inputs.x\n' };
    const { found } = await lint(files, ['a.yml', 'b.yml']);
    expect(found).toHaveLength(1);
  });

  it('tells of entries of the configuration that lead nowhere, whatever file is checked', async () => {
    const files = {
      'w.yml': 'steps:\n  - jq: .\n',
      'lait.config.yml':
        'workflows:\n  gone: nowhere.yml\nmcp_servers: { s: { command: x, allowed_tools: [] } }\n',
    };
    const { code, found } = await lint(files);
    expect(code).toBe(3);
    expect(found.map(({ file, line, severity }) => [file.replace(/^.*\//, ''), line, severity])).toEqual([
      ['lait.config.yml', 2, 'error'],
      ['lait.config.yml', 3, 'warning'],
    ]);
    expect((await lint(files, ['w.yml', 'lait.config.yml'])).found).toHaveLength(2);
  });

  it('checks entries of the configuration, and survives a broken one', async () => {
    const good = await lint({
      'lait.config.yml':
        'workflows: { gone: gone.yml }\nmcp_servers: { m: { command: x, allowed_tools: [] } }\n',
    });
    expect([good.code, good.lines]).toEqual([3, ['1 unreadable_entry', '2 empty_allowed_tools']]);
    const broken = await lint({ 'w.yml': 'steps:\n  - jq: $inputs.x\n', 'lait.config.yml': 'nonsense: 1\n' });
    expect(broken.code).toBe(3);
    expect(broken.found.map(({ code }) => code)).toEqual(['unknown_field', 'undeclared_input']);
  });

  it('[lint.json] finds definitions among the JSON files of a directory, also broken ones', async () => {
    const directory = directoryWith({
      'call.json': '{"id":"c","inputSchema":{},"outputSchema":{},"graph":[{"type":"tool","id":"t"}]}',
      'steps.json': '{"steps":[{"jq":"."}]}',
      'canvas.json': '{\n  "nodes": [],\n  "edges": [}\n}',
      'data.json': '{"rows":[{"steps":3}]}',
      'tsconfig.json': '// comment\n{}',
    });
    const { code, stdout, stderr } = await lait(directory, ['lint', '.']);
    expect(code).toBe(3);
    expect(stdout.match(/^\w+\.json:.*/gm)).toEqual(['call.json:', 'canvas.json:', 'steps.json: OK']);
    expect(stdout).toContain(
      'canvas.json:3:13: error[definition_syntax]: a value or `]` is expected, not `}`',
    );
    expect(stdout).toContain('error[missing-reference]');
    expect(stderr).toContain('2 of 3 file(s) had errors');
  });

  it('goes through directories, and passes over links, hidden entries and other files', async () => {
    const directory = directoryWith({
      'flows/a.yml': 'steps:\n  - jq: .\n',
      'flows/deep/b.yaml': 'steps:\n  - jq: "["\n',
      'flows/agent.md': '---\nname: a\n---\nhi\n',
      'flows/readme.md': '# no agent\n',
      'flows/.hidden/c.yml': 'nonsense\n',
      'flows/node_modules/x/d.yml': 'nonsense\n',
      'flows/data.txt': 'text',
    });
    symlinkSync(join(directory, 'flows'), join(directory, 'flows', 'again'));
    const { code, stdout, stderr } = await lait(directory, ['lint', 'flows']);
    expect(code).toBe(3);
    expect(stdout.split('\n').filter((line) => /^\S/.test(line))).toEqual([
      'flows/a.yml: OK',
      'flows/agent.md: OK',
      'flows/deep/b.yaml:',
    ]);
    expect(stderr).toBe('lait: 1 of 3 file(s) had errors\n');
    const other = await lait(directory, ['lint', 'flows/data.txt']);
    expect([other.code, other.stdout]).toEqual([3, expect.stringContaining('file_extension')]);
  });

  it('prints every format without anything else on standard output', async () => {
    const directory = directoryWith({ 'w.yml': 'steps:\n  - run: [echo, "{{ inputs.gone }}"]\n' });
    const github = await lait(directory, ['lint', 'w.yml', '--format', 'github']);
    expect(github.stdout).toMatch(/^::error file=w\.yml,line=2/);
    const sarif = await lait(directory, ['lint', 'w.yml', '--format', 'sarif']);
    expect(JSON.parse(sarif.stdout)).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'undeclared_input', level: 'error' }] }],
    });
  });

  it('[lint.large] a workflow of 50,000 lines is checked as a whole', async () => {
    const step = (index: number) =>
      `  - id: s${index}\n    when: .n > ${index}\n    input: '{n: .n}'\n    jq: '{n: .n, before: $steps.s${index - 1}}'\n    output: .\n`;
    const directory = directoryWith({});
    mkdirSync(join(directory, 'x'));
    writeFileSync(
      join(directory, 'w.yml'),
      `steps:\n${Array.from({ length: 10_000 }, (_, i) => step(i + 1)).join('')}`,
    );
    const { code, stdout } = await lait(directory, ['lint', 'w.yml', '--format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ code: 'unknown_step', line: 5 }]);
  });
});
