import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLait } from '../../src/create-lait.js';
import type { LaitOptions } from '../../src/lait.js';
import { runLimits, type SpendingLimits } from '../../src/plan/spending-limits.js';
import { directoryWith, lait } from '../cli/run-lait.js';
import { type Answer, type ModelServer, says, startModelServer } from '../models/model-server.js';

const reply: Answer = says({
  content: 'ok',
  usage: { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100 },
});

/** 100 tokens a call, which cost 0.02. */
const values = (server: ModelServer) => ({
  default: { model: 'm' },
  models: {
    m: [
      {
        model_id: 'm',
        provider: { base_url: server.baseUrl },
        pricing: { input_per_million: 200, output_per_million: 200 },
      },
    ],
  },
});

const loop = (limits: string) =>
  `limits: ${limits}\nsteps:\n  - jq: '[range(5)]'\n  - for_each: .\n    steps: [{ id: each, prompt: hi }]\n`;

/** Runs w.yml of a directory in this process; gives the value or the error. */
async function run(
  server: ModelServer,
  files: Record<string, string>,
  options: LaitOptions & { configured?: SpendingLimits; file?: string } = {},
) {
  const { configured, file = 'w.yml', ...more } = options;
  const workingDirectory = directoryWith(files);
  const config = { ...values(server), ...(configured === undefined ? {} : { limits: configured }) };
  const instance = await createLait({ config, workingDirectory, variables: {}, ...more });
  try {
    const workflow = await instance.load(file);
    return { value: (await workflow.run({ input: 'x' })) as unknown as { value: unknown } };
  } catch (error) {
    return { error: error as Error & { code: string; category: string; details: Record<string, unknown> } };
  } finally {
    await instance.close();
  }
}

describe('limits of spending', () => {
  it.each([
    ['{ max_model_calls: 2 }', 2],
    ['{ max_tokens: 150 }', 2],
    ['{ max_tokens: 200 }', 2],
    ['{ max_cost: 0.05 }', 3],
  ])('[limits.stop] %s stops before the next call', async (limits, calls) => {
    const server = await startModelServer(reply);
    const { error } = await run(server, { 'w.yml': loop(limits) });
    expect(server.requests).toHaveLength(calls);
    expect(error).toMatchObject({ code: 'limit_reached', category: 'failed' });
    expect(error!.message).toContain(`reached its limit ${limits.slice(2, -2)}`);
    expect(error!.message).toContain(
      `${calls} model calls, ${calls * 100} tokens, cost ${calls * 0.02} so far`,
    );
    expect(error!.details.spent).toMatchObject({ model_calls: calls, tokens: calls * 100 });
  });

  it('[limits.stop] what was answered is kept: a run that needs no further call ends well', async () => {
    const server = await startModelServer(reply);
    const workflow =
      'limits: { max_tokens: 1, max_model_calls: 1 }\nsteps:\n  - prompt: hi\n  - jq: . + "!"\n';
    expect((await run(server, { 'w.yml': workflow })).value).toMatchObject({ value: 'ok!' });
  });

  it('[limits.everywhere] children and branches count together, and neither retry nor on_error goes on', async () => {
    const server = await startModelServer(reply);
    const { error } = await run(server, {
      'child.yml': 'steps:\n  - prompt: in the child\n    retry: { max_attempts: 5 }\n',
      'w.yml': `limits: { max_model_calls: 3 }
steps:
  - prompt: first
  - parallel:
      a: [{ workflow: ./child.yml }]
      b: [{ prompt: b, on_error: [{ jq: '"caught"' }] }, { prompt: b2, on_error: [{ jq: '"caught"' }] }]
    on_error: [{ jq: '"caught"' }]
`,
    });
    expect(error!.message).toContain("workflow 'w.yml' reached its limit max_model_calls: 3");
    expect(server.requests).toHaveLength(3);
  });

  it("[limits.everywhere] a child's own limit is a failure that its caller may handle", async () => {
    const server = await startModelServer(reply);
    const { value } = await run(server, {
      'child.yml': 'limits: { max_model_calls: 1 }\nsteps:\n  - prompt: one\n  - prompt: two\n',
      'w.yml':
        'steps:\n  - workflow: ./child.yml\n    on_error: [{ jq: .error }]\n  - prompt: "{{ input }}"\n',
    });
    expect(value).toMatchObject({ value: 'ok' });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]!.text).toContain('reached its limit max_model_calls: 1');
  });

  it('[limits.everywhere] tool rounds and subagents are model calls, too', async () => {
    const call = (name: string) =>
      says({
        tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{"input":"q"}' } }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      });
    const server = await startModelServer(call('agent__helper'), reply, reply);
    const { error } = await run(
      server,
      { 'w.yml': 'limits: { max_model_calls: 2 }\nsteps:\n  - prompt: hi\n    subagents: [helper]\n' },
      { agents: { helper: { system: 'You help.' } } },
    );
    expect(error).toMatchObject({ code: 'limit_reached' });
    expect(server.requests).toHaveLength(2);
  });

  it('[limits.everywhere] the configuration limits the other forms, too', async () => {
    const server = await startModelServer(reply);
    const config = { ...values(server), limits: { max_model_calls: 1 }, workflows: { inner: 'inner.yml' } };
    const workingDirectory = directoryWith({
      'inner.yml': 'inputs: {}\nsteps: [{ prompt: hi }, { prompt: again }]\n',
    });
    const instance = await createLait({ config, workingDirectory, variables: {} });
    await instance.addDynamicWorkflow({
      id: 'outer',
      inputSchema: { type: 'object' },
      outputSchema: {},
      graph: [{ type: 'workflow', id: 'call', workflowId: 'inner' }],
    });
    const ran = await (await instance.getWorkflow('outer').createRun()).start({ inputData: {} });
    await instance.close();
    expect(JSON.stringify(ran)).toContain('reached its limit max_model_calls: 1');
    expect(server.requests).toHaveLength(1);
  });

  it('[limits.replay] a recording meets the limits of the live run', async () => {
    const server = await startModelServer(reply);
    const directory = directoryWith({});
    const files = { 'w.yml': loop('{ max_tokens: 300 }') };
    const live = await run(server, files, { recordDirectory: `${directory}/replies` });
    const again = await run(server, files, { replayDirectory: `${directory}/replies` });
    expect(again.error!.message).toBe(live.error!.message);
  });

  it('[limits.countable] a limit that cannot be kept is no limit: the run says so and stops', async () => {
    const server = await startModelServer(says('no usage'));
    const config = { base_url: server.baseUrl, default: { model: 'raw' } };
    const files = {
      'cost.yml': 'limits: { max_cost: 1 }\nsteps:\n  - prompt: one\n',
      'tokens.yml': 'limits: { max_tokens: 1000 }\nsteps:\n  - prompt: one\n  - prompt: two\n',
    };
    const cost = await run(server, files, { config, file: './cost.yml' });
    expect(cost.error).toMatchObject({ code: 'limit_uncountable' });
    expect(cost.error!.message).toContain('has no pricing');
    expect(server.requests).toHaveLength(0);
    const tokens = await run(server, files, { config, file: './tokens.yml' });
    expect(tokens.error!.message).toContain('reports no tokens');
    expect(server.requests).toHaveLength(1);
  });

  it('[limits.duration] a run that takes too long ends as a timeout', async () => {
    const server = await startModelServer(() => {});
    const { error } = await run(
      server,
      { 'w.yml': 'steps: [{ prompt: hi }]\n' },
      { limits: { max_duration: 1 } },
    );
    expect(error).toMatchObject({ code: 'limit_reached', category: 'timeout' });
    expect(error!.message).toContain('reached its limit max_duration: 1 s (1 model call, 0 tokens so far)');
  });
});

it('[limits.checkpoint] the run is kept and goes on with a fresh allowance; --limit wins and is shown', async () => {
  const server = await startModelServer(reply);
  const config = JSON.stringify({ ...values(server), limits: { max_model_calls: 1, max_cost: 9 } });
  const directory = directoryWith({
    'lait.config.yml': config,
    'w.yml': 'steps:\n  - prompt: one\n  - prompt: two\n',
  });
  const first = await lait(directory, ['run', 'w.yml', 'x', '--checkpoint', '--json']);
  expect(first.code).toBe(1);
  expect(JSON.parse(first.stdout)).toMatchObject({
    error: { code: 'limit_reached' },
    usage: { total_tokens: 100 },
  });
  const id = /--resume (\S+)`/.exec(first.stderr)![1]!;
  expect(await lait(directory, ['run', 'w.yml', '--resume', id])).toMatchObject({ code: 0, stdout: 'ok\n' });
  expect(server.requests).toHaveLength(2);
  const more = ['--limit', 'max_model_calls=7', '--limit', 'max_tokens=5'];
  const dry = await lait(directory, ['run', 'w.yml', 'x', '--dry-run', ...more]);
  expect(dry.stdout).toContain('limits: max_tokens 5, max_cost 9, max_model_calls 7\n');
}, 30_000);

it.each(['max_cots=1', 'max_tokens', 'max_tokens=1.5', 'max_model_calls=0', 'max_cost=much', 'max_cost='])(
  '[limits.flags] --limit %s is refused',
  async (wrong) => {
    const { readLimits } = await import('../../src/cli/read-limits.js');
    expect(() => readLimits([wrong])).toThrow(/--limit/);
  },
);

it('[limits.merge] a given limit wins, else the smallest that is written', () => {
  const limit = fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined });
  fc.assert(
    fc.property(limit, limit, limit, (given, workflow, configured) => {
      const level = (max_tokens: number | undefined) =>
        max_tokens === undefined ? undefined : { max_tokens };
      const written = [workflow, configured].filter((value) => value !== undefined);
      const expected = given ?? (written.length === 0 ? undefined : Math.min(...written));
      expect(runLimits(level(given), level(workflow), level(configured))?.max_tokens).toBe(expected);
    }),
  );
});
