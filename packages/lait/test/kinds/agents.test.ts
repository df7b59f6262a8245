import { describe, expect, it } from 'vitest';
import { calls, says, startModelServer } from '../models/model-server.js';
import { messagesOf, run, text } from './model-plan.js';

describe('agents', () => {
  const agent = (system: string, rest: object = {}) => ({ system: text(system), ...rest });

  it('answers with its own prompt, schema and settings under those of the step', async () => {
    const server = await startModelServer(says('{"town":"奈良"}'));
    const finder = agent('find', {
      model: 'agent-model',
      temperature: 0.5,
      top_p: 0.6,
      schemaName: 'town_fact',
      outputSchema: { body: { type: 'object', required: ['town'] } },
    });
    const settings = { agents: { finder }, defaults: { system: text('HOUSE'), max_tokens: 9 } };
    const { value } = await run([{ kind: 'agent', fields: { agent: 'finder', temperature: 0.9 } }], {
      server,
      settings,
      input: { place: 'deer' },
    });
    expect(value).toEqual({ town: '奈良' });
    expect(server.requests[0]!.body).toMatchObject({
      model: 'agent-model',
      temperature: 0.9,
      top_p: 0.6,
      max_completion_tokens: 9,
      messages: [
        { role: 'system', content: 'find' },
        { role: 'user', content: '{"place":"deer"}' },
      ],
      response_format: { json_schema: { name: 'town_fact' } },
    });
  });

  it('prefers the file, then a path, then the configuration', async () => {
    const server = await startModelServer(says('r'));
    const asked: string[] = [];
    const services = {
      agents: {
        file: async (path: string, directory: string) => {
          asked.push(`${directory}:${path}`);
          return agent('from file');
        },
        registered: async (name: string) => (name === 'known' ? agent('registered') : undefined),
        registeredNames: () => ['known'],
      },
    };
    const options = {
      server,
      services,
      settings: { agents: { 'a/b.md': agent('inline') } },
      plan: { directory: '/flows' },
    };
    for (const name of ['a/b.md', 'x/y', 'z.md', 'known']) {
      await run([{ kind: 'agent', fields: { agent: name } }], options);
    }
    expect(asked).toEqual(['/flows:x/y', '/flows:z.md']);
    const systems = server.requests.map((_, index) => messagesOf(server, index)[0]!.content);
    expect(systems).toEqual(['inline', 'from file', 'from file', 'registered']);
    const { error } = await run([{ kind: 'agent', fields: { agent: 'knwon' } }], options);
    expect((error.cause as Error).message).toContain("did you mean 'known'?");
    expect((await run([{ kind: 'agent', fields: { agent: 'constructor' } }], options)).error).toMatchObject({
      code: 'agent_unknown',
    });
  });

  it('may be given in code', async () => {
    const answer = async (asked: string) => ({ text: `${asked}!`, object: { echo: asked } });
    const plain = { ...agent(''), answer };
    const shaped = { ...plain, outputSchema: { body: { type: 'object', required: ['echo'] } } };
    const settings = { agents: { plain, shaped } };
    expect((await run([{ kind: 'agent', fields: { agent: 'plain' } }], { settings })).value).toBe(
      'the input!',
    );
    expect((await run([{ kind: 'agent', fields: { agent: 'shaped' } }], { settings })).value).toEqual({
      echo: 'the input',
    });
  });

  it('runs as a tool of another model, with its own settings only', async () => {
    const server = await startModelServer(
      calls(['agent__scout', { input: '丘' }]),
      says('hill is clear'),
      says('all good'),
    );
    const scout = agent('scout!', { model: 'scout-model', description: 'looks around' });
    const { value, events } = await run(
      [{ kind: 'prompt', id: 'talk', fields: { prompt: text('go'), subagents: ['scout'] } }],
      { server, agents: { scout }, settings: { defaults: { temperature: 0.1, system: text('HOUSE') } } },
    );
    expect(value).toBe('all good');
    expect(server.requests[1]!.body).toEqual({
      model: 'scout-model',
      stream: false,
      messages: [
        { role: 'system', content: 'scout!' },
        { role: 'user', content: '丘' },
      ],
    });
    expect(messagesOf(server, 2).at(-1)).toMatchObject({
      role: 'tool',
      tool_call_id: 'c1',
      content: 'hill is clear',
    });
    expect(events.filter(({ type }) => type === 'step.started')).toHaveLength(1);
  });

  it('takes the whole object when the subagent declares its input, and tells the model what does not fit', async () => {
    const inputSchema = {
      body: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    };
    const server = await startModelServer(
      calls(['agent__scout', { place: 3 }]),
      calls(['agent__scout', { place: 'dock' }]),
      says('seen'),
      says('end'),
    );
    await run([{ kind: 'prompt', fields: { prompt: text('go'), subagents: ['scout'] } }], {
      server,
      agents: { scout: agent('s', { inputSchema }) },
    });
    expect(messagesOf(server, 1).at(-1)!.content).toContain('place');
    expect(messagesOf(server, 2).at(-1)!.content).toBe('{"place":"dock"}');
    expect(messagesOf(server, 3).at(-1)!.content).toBe('seen');
  });

  it('tells the model when a subagent fails, and goes on', async () => {
    const server = await startModelServer(
      calls(['agent__scout', { input: 'x' }]),
      says(''),
      says('never mind'),
    );
    const { value } = await run([{ kind: 'prompt', fields: { prompt: text('go'), subagents: ['scout'] } }], {
      server,
      agents: { scout: agent('s') },
    });
    expect(value).toBe('never mind');
    expect(messagesOf(server, 2).at(-1)!.content).toMatch(/agent 'scout' failed/);
  });

  it('[conversation.subagent-cycles] refuses subagents that call each other in a circle', async () => {
    const server = await startModelServer(
      calls(['agent__one', { input: 'x' }]),
      calls(['agent__two', { input: 'x' }]),
      calls(['agent__one', { input: 'x' }]),
    );
    const agents = { one: agent('1', { subagents: ['two'] }), two: agent('2', { subagents: ['one'] }) };
    const { error } = await run([{ kind: 'prompt', fields: { prompt: text('go'), subagents: ['one'] } }], {
      server,
      agents,
    });
    expect(error).toMatchObject({ code: 'subagent_cycle' });
    expect(server.requests).toHaveLength(3);
  });

  it('refuses to nest subagents deeper than 16', async () => {
    const names = Array.from({ length: 18 }, (_, index) => `a${index}`);
    const agents = Object.fromEntries(
      names.map((name, index) => [name, agent(name, { subagents: names.slice(index + 1, index + 2) })]),
    );
    const server = await startModelServer(...names.map((name) => calls([`agent__${name}`, { input: 'x' }])));
    const { error } = await run([{ kind: 'prompt', fields: { prompt: text('go'), subagents: ['a0'] } }], {
      server,
      agents,
    });
    expect(error).toMatchObject({ code: 'subagent_nesting' });
    expect(server.requests).toHaveLength(17);
  });
});
