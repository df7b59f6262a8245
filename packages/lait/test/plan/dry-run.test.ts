import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlannedRun } from '../../src/plan/dry-run/planned-run.js';
import type { JsonObject } from '../../src/values/value.js';
import { directoryWith, lait } from '../cli/run-lait.js';
import { startModelServer } from '../models/model-server.js';
import { capabilityNode, graphOf, hitl, terminal } from '../runs/graph-host.js';

const models = (url: string) =>
  `default: { model: main, timeout: 77, system: "簡潔に {{ inputs.lang }}" }\nmodels:\n  main: [ { provider: { base_url: "${url}", api_key_cmd: "touch key-ran; echo k" }, model_id: m-1, default_temperature: 0.3 }, { model_id: m-2 } ]\n`;

async function planned(files: Record<string, string>, args: string[] = ['x']) {
  const directory = directoryWith(files);
  const result = await lait(directory, ['run', 'w.yml', ...args, '--dry-run', '--json']);
  return {
    ...result,
    directory,
    run: result.code === 0 ? (JSON.parse(result.stdout) as PlannedRun) : undefined,
  };
}

const texts = (run: PlannedRun | undefined, index: number) =>
  Object.fromEntries(
    run!.steps[index]!.fields.map(({ name, text, unrendered }) => [name, unrendered ?? text]),
  );

describe('a dry run', () => {
  it('[dryrun.nothing-runs] touches nothing and says what each step would do', async () => {
    const server = await startModelServer();
    const { run, directory, code } = await planned({
      'lait.config.yml': 'mcp_servers: { m: { command: touch, args: [mcp-ran] } }\n',
      'w.yml': `${models(server.baseUrl)}inputs: { lang: { type: string, default: ja } }\noutput: .x\ntimeout: 9\nsteps:\n  - id: a\n    prompt: "{{ input }}"\n    mcp: [m]\n    retry: { max_attempts: 4 }\n  - agent: ./a.md\n  - run: [touch, ran]\n    env: { A: "\${HOME}" }\n  - write: out.txt\n  - ask: "ok?"\n  - workflow: ./none.yml\n  - switch: [ { when: .x == 1, steps: [ { id: inner, jq: . } ] } ]\n    on_error: [ { jq: .error } ]\n`,
      'a.md': '---\nmodel: raw-model\ntemperature: 0.9\n---\nyou read {{ input }}\n',
    });
    expect(code).toBe(0);
    expect(server.requests).toEqual([]);
    for (const name of ['ran', 'key-ran', 'mcp-ran', 'out.txt', '.lait']) {
      expect(existsSync(join(directory, name))).toBe(false);
    }
    expect(run).toMatchObject({
      workflow: 'w.yml',
      input: 'x',
      inputs: { lang: 'ja' },
      output: '.x',
      timeout: 9,
    });
    expect(run!.steps.map(({ position, id, kind }) => [position, id, kind])).toEqual([
      [1, 'a', 'prompt'],
      [2, null, 'agent'],
      [3, null, 'run'],
      [4, null, 'write'],
      [5, null, 'ask'],
      [6, null, 'workflow'],
      [7, null, 'switch'],
    ]);
    expect(run!.steps[0]).toMatchObject({
      model: { id: 'm-1', base_url: server.baseUrl, fallbacks: ['m-2'], settings: { temperature: 0.3 } },
      tools: { mcp: ['m'] },
      retry: { max_attempts: 4, delay_seconds: 0, backoff: 1 },
      timeout: 77,
    });
    expect(run!.steps[1]).toMatchObject({ model: { id: 'raw-model', settings: { temperature: 0.9 } } });
    expect(run!.steps[2]).toMatchObject({ model: null, retry: null, timeout: null });
    expect(run!.steps[6]!.blocks).toMatchObject([
      { title: 'case 1: .x == 1', steps: [{ id: 'inner' }] },
      { title: 'on_error', steps: [{ kind: 'jq' }] },
    ]);
  });

  it('[dryrun.known-text] renders what is known and gives the source of the rest', async () => {
    const { run } = await planned(
      {
        'w.yml': `default: { model: m }\ninputs: { lang: string }\nsteps:\n  - group:\n      - prompt: "{{ input }} {{ inputs.lang }}"\n  - prompt: "{{ inputs.lang }}!"\n  - prompt: "{{ input }}"\n  - run: [echo, "{{ inputs.lang }}", "{{ steps.a }}"]\n  - id: a\n    input: .x\n    prompt: "{{ input.y }}"\n  - prompt: "{{ inputs.lang.deep }}"\n`,
      },
      ['本文 "x"', '--input', 'lang=en'],
    );
    const inner = run!.steps[0]!.blocks[0]!.steps[0]!;
    expect(inner.fields).toEqual([{ name: 'prompt', text: '本文 "x" en' }]);
    expect(texts(run, 1)).toEqual({ prompt: 'en!' });
    expect(run!.steps[2]!.fields).toEqual([
      { name: 'prompt', text: '{{ input }}', unrendered: 'needs input' },
    ]);
    expect(run!.steps[3]!.fields[0]).toEqual({
      name: 'run',
      text: '["echo","en","{{ steps.a }}"]',
      unrendered: 'needs steps.a',
    });
    expect(texts(run, 4)).toEqual({ input: '.x', prompt: 'needs input.y' });
    expect(texts(run, 5).prompt).toMatch(/deep/);
  });

  it('fails like the run: missing inputs, and every step whose model or agent cannot be found', async () => {
    const missing = await planned({ 'w.yml': 'inputs: { a: string }\nsteps:\n  - jq: .\n' });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("'a'")]);
    const lost = await planned({
      'w.yml':
        'steps:\n  - id: lost\n    prompt: a\n  - agent: ghost\n    model: m\n  - agent: ./none.md\n    model: m\n',
    });
    expect(lost.code).toBe(3);
    for (const word of ['lost', 'ghost', 'none.md']) expect(lost.stderr).toContain(word);
  });

  it('takes the flags of the run that it stands for, keeps nothing, and cannot resume', async () => {
    const directory = directoryWith({ 'w.yml': 'steps:\n  - id: a\n    jq: .\n' });
    const flags = ['--checkpoint', '--record', 'replies', '--stream'];
    const { code, stdout } = await lait(directory, ['run', 'w.yml', 'x', '--dry-run', ...flags]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('[1] a (jq)')]);
    expect(['.lait', 'replies'].filter((name) => existsSync(join(directory, name)))).toEqual([]);
    expect((await lait(directory, ['run', 'w.yml', '--dry-run', '--resume', 'r'])).code).toBe(2);
  });

  it('says what the nodes of a graph call, where each of them leads, and when', async () => {
    const graph = graphOf(
      [hitl('a'), capabilityNode('b', 'file_read', { inputs: { relative_path: 'x' } }), terminal('t')],
      ['a->b', 'a->t', 'b->t!'],
    );
    const condition = { from_path: 'nodes.a.output.answer', operator: 'equals', value: 'yes' };
    Object.assign((graph.edges as JsonObject[])[0]!, { condition });
    const directory = directoryWith({ 'w.json': JSON.stringify(graph) });
    const { stdout } = await lait(directory, ['run', 'w.json', '--dry-run']);
    expect(stdout).toContain('capability_key: file_read\n');
    expect(stdout).toContain('next: [2] b when nodes.a.output.answer equals "yes"\n    next: [3] t\n');
    expect(stdout).toContain('on error: [3] t\n');
    const planned = await lait(directory, ['run', 'w.json', '--dry-run', '--json']);
    expect((JSON.parse(planned.stdout) as PlannedRun).steps.map(({ edges }) => edges)).toEqual([
      [
        {
          kind: 'normal',
          position: 2,
          path: 'nodes.b',
          label: 'b',
          condition: expect.stringContaining('equals'),
        },
        { kind: 'normal', position: 3, path: 'nodes.t', label: 't', condition: null },
      ],
      [{ kind: 'error', position: 3, path: 'nodes.t', label: 't', condition: null }],
      [],
    ]);
  });
});
