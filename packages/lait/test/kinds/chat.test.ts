import { describe, expect, it } from 'vitest';
import { says, startModelServer } from '../models/model-server.js';
import { messagesOf, run, text } from './model-plan.js';

describe('chat', () => {
  it('answers through an agent, whose prompt sees the argument as JSON and whose model sees it word for word', async () => {
    const server = await startModelServer(says('r'));
    const fields = { history: [], agent: { system: text('s') }, agentInput: { topic: '苔' } };
    await run([{ kind: 'chat', fields }], { server, input: '{ "topic" : "苔" }' });
    expect(messagesOf(server, 0)).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: '{ "topic" : "苔" }' },
    ]);
  });

  it('goes on where a history ends when nothing new is said', async () => {
    const server = await startModelServer(says('there it is'));
    const history = [
      { role: 'user', content: 'find it' },
      { role: 'assistant', content: null, tool_calls: [] },
    ];
    await run([{ kind: 'chat', fields: { history } }], {
      server,
      input: undefined,
      plan: { accept: () => ({ value: undefined, inputs: {}, state: {}, context: {} }) },
    });
    expect(messagesOf(server, 0)).toEqual(history);
  });

  it('carries its history from turn to turn', async () => {
    const server = await startModelServer(says('one'), says('two'));
    const first = await run([{ kind: 'chat', fields: { history: [], system: 'be brief' } }], {
      server,
      input: 'hi',
    });
    expect(first.value).toMatchObject({ text: 'one' });
    const history = (first.value as { messages: unknown[] }).messages;
    await run([{ kind: 'chat', fields: { history } }], { server, input: 'more' });
    expect(messagesOf(server, 1)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'more' },
    ]);
  });
});

describe('skills', () => {
  it('stand behind the system prompt, or alone', async () => {
    const server = await startModelServer(says('r'));
    const suffix = '## Skill: tidy\n\nkeep {{ order }}';
    const services = { tools: { open: async () => ({ tools: [], systemSuffix: suffix }) } } as never;
    const fields = { prompt: text('go'), skills: ['tidy'] };
    await run([{ kind: 'prompt', fields: { ...fields, system: text('calm') } }], { server, services });
    await run([{ kind: 'prompt', fields }], { server, services });
    expect(messagesOf(server, 0)[0]!.content).toBe(`calm\n\n---\n\n${suffix}`);
    expect(messagesOf(server, 1)[0]!.content).toBe(suffix);
    expect(server.requests[0]!.body.tools).toBeUndefined();
  });
});
