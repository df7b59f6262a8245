import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { json, says, startModelServer } from '../models/model-server.js';
import { compute } from '../support/plans.js';
import { messagesOf, run, template, temporaryDirectory, text } from './model-plan.js';

const person = {
  body: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name'],
  },
};

describe('prompt', () => {
  it('sends system and user message and gives the text of the reply', async () => {
    const server = await startModelServer(says('お茶をどうぞ 🍵'));
    const { value } = await run(
      [{ kind: 'prompt', fields: { prompt: template('Q: '), system: template('about ') } }],
      {
        server,
        input: 'お茶',
      },
    );
    expect(value).toBe('お茶をどうぞ 🍵');
    expect(messagesOf(server, 0)).toEqual([
      { role: 'system', content: 'about お茶' },
      { role: 'user', content: 'Q: お茶' },
    ]);
  });

  it('falls back item by item: step, workflow defaults, configuration', async () => {
    const server = await startModelServer(says('r'));
    const settings = { defaults: { temperature: 0.5, top_p: 0.6, system: text('house style') } };
    const models = {
      base_url: server.baseUrl,
      defaults: { model: 'config-model', top_p: 0.9, max_tokens: 11 },
    };
    await run([{ kind: 'prompt', fields: { prompt: text('a'), temperature: 0 } }], { models, settings });
    expect(server.requests[0]!.body).toMatchObject({
      model: 'config-model',
      temperature: 0,
      top_p: 0.6,
      max_completion_tokens: 11,
      messages: [
        { role: 'system', content: 'house style' },
        { role: 'user', content: 'a' },
      ],
    });
  });

  it('checks the input before anything is asked', async () => {
    const server = await startModelServer(says('never'));
    const { error } = await run(
      [{ kind: 'prompt', id: 'ask', fields: { prompt: text('a'), input_schema: person } }],
      {
        server,
        input: { name: 1 },
      },
    );
    expect(error).toMatchObject({ code: 'input_invalid', category: 'failed' });
    expect(server.requests).toHaveLength(0);
  });

  it.each([
    ['plain', '{"name":"ぽち","age":3}'],
    ['with white space', ' \n{"name":"ぽち","age":3}\n'],
    ['in a fence', '```json\n{"name":"ぽち","age":3}\n```'],
  ])('parses a structured reply %s', async (_, content) => {
    const server = await startModelServer(says(content));
    const { value } = await run([{ kind: 'prompt', fields: { prompt: text('a'), output_schema: person } }], {
      server,
    });
    expect(value).toEqual({ name: 'ぽち', age: 3 });
    expect(server.requests[0]!.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'structured_output', schema: person.body, strict: true },
    });
  });

  it.each([
    [{ ...person, name: 'person' }, undefined, 'person'],
    [{ ...person, name: 'person' }, 'chosen', 'chosen'],
    [person, undefined, 'structured_output'],
  ])('names the structured output', async (output_schema, schema_name, name) => {
    const server = await startModelServer(says('{"name":"x"}'));
    await run([{ kind: 'prompt', fields: { prompt: text('a'), output_schema, schema_name } }], { server });
    expect(server.requests[0]!.body).toMatchObject({ response_format: { json_schema: { name } } });
  });

  it.each([
    ['not JSON', 'sorry, no', 'structured_output_not_json', /sorry, no/],
    ['two values', '{} {}', 'structured_output_not_json', /not/],
    ['a broken schema', '{"name":"x","age":"seven"}', 'structured_output_invalid', /age/],
    ['absurd nesting', '['.repeat(200_000), 'structured_output_not_json', /nested/],
  ])('keeps the text of a structured reply that is %s', async (_, content, code, message) => {
    const server = await startModelServer(says(content));
    const { error } = await run([{ kind: 'prompt', fields: { prompt: text('a'), output_schema: person } }], {
      server,
    });
    expect(error).toMatchObject({ code, category: 'model', details: { text: content } });
    expect((error.cause as Error).message).toMatch(message);
  });

  it('warns when integers lose digits', async () => {
    const server = await startModelServer(says('{"name":"x","age":90071992547409931}'));
    const { events } = await run([{ kind: 'prompt', fields: { prompt: text('a'), output_schema: person } }], {
      server,
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', message: expect.stringContaining('90071992547409931') }),
    );
  });

  it('appends files as code blocks whose fence is longer than any inside', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'a.txt'), 'alpha\n');
    await writeFile(join(directory, 'b.md'), 'has ````four```` ticks');
    const server = await startModelServer(says('r'));
    const files = [text('a.txt'), template('', '.md')];
    await run([{ kind: 'prompt', fields: { prompt: text('Read:'), files } }], {
      server,
      workingDirectory: directory,
      input: 'b',
    });
    expect(messagesOf(server, 0)).toEqual([
      {
        role: 'user',
        content: 'Read:\n\n```a.txt\nalpha\n```\n\n`````b.md\nhas ````four```` ticks\n`````',
      },
    ]);
  });

  it('sends images as data URLs by their content, and web addresses as they are', async () => {
    const directory = await temporaryDirectory();
    const png = Buffer.from('89504e470d0a1a0a00', 'hex');
    await writeFile(join(directory, 'looks-like.jpg'), png);
    await writeFile(join(directory, 'unknown.bin'), 'text');
    const server = await startModelServer(says('r'));
    const step = (...images: string[]) => [
      { kind: 'prompt', fields: { prompt: text('see'), images: images.map(text) } },
    ];
    const options = { server, workingDirectory: directory };
    await run(step('looks-like.jpg', 'https://img.example/猫.jpg'), options);
    expect(messagesOf(server, 0)[0]!.content).toEqual([
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
      { type: 'image_url', image_url: { url: 'https://img.example/猫.jpg' } },
    ]);
    expect((await run(step('unknown.bin'), options)).error).toMatchObject({ code: 'image_type_unknown' });
    expect((await run(step('gone.png'), options)).error).toMatchObject({ code: 'file_not_found' });
    expect(server.requests).toHaveLength(1);
  });

  it('tells what happened as events', async () => {
    const server = await startModelServer(
      says({ content: 'r', usage: { prompt_tokens: 5, completion_tokens: 2 } }),
      json({ error: { message: 'nope' } }, 400),
    );
    const { events } = await run([{ kind: 'prompt', id: 'talk', fields: { prompt: text('a') } }], { server });
    expect(events.filter(({ type }) => type.startsWith('model.'))).toMatchObject([
      { type: 'model.requested', label: 'talk', model: 'default-model', round: 0 },
      {
        type: 'model.responded',
        label: 'talk',
        source: 'live',
        usage: { inputTokens: 5, outputTokens: 2 },
        reply: { content: 'r', finish_reason: 'stop' },
      },
    ]);
    const failed = await run([{ kind: 'prompt', fields: { prompt: text('a') } }], { server });
    expect(failed.events).toContainEqual(
      expect.objectContaining({
        type: 'model.failed',
        error: expect.objectContaining({ code: 'model_request_refused' }),
      }),
    );
  });

  it('streams tokens as events when somebody watches', async () => {
    const server = await startModelServer(says('in one piece'));
    const { events } = await run([{ kind: 'prompt', fields: { prompt: text('a') } }], {
      server,
      models: { base_url: server.baseUrl, streaming: true },
    });
    expect(server.requests[0]!.body.stream).toBe(true);
    expect(events).toContainEqual(expect.objectContaining({ type: 'model.token', text: 'in one piece' }));
  });

  it('sees steps that only default.system reads, also in concurrent items', async () => {
    const server = await startModelServer(says('r'));
    const reading = compute((scope) => `seen ${String(scope.step('first'))}`);
    await run(
      [
        { kind: 'jq', id: 'first', fields: { jq: compute(() => 'x') } },
        {
          kind: 'for_each',
          fields: {
            for_each: compute(() => [1, 2]),
            max_concurrency: 2,
            steps: {
              path: 'steps[1].for_each',
              nodes: [{ kind: 'prompt', path: 'p', label: 'p', fields: { prompt: text('a') } }],
            },
          },
        },
      ],
      { server, settings: { defaults: { system: reading } } },
    );
    expect(messagesOf(server, 1)[0]).toEqual({ role: 'system', content: 'seen x' });
  });

  it('names no model anywhere', async () => {
    const { error } = await run([{ kind: 'prompt', id: 'lost', fields: { prompt: text('a') } }], {
      models: { defaults: {} },
    });
    expect(error).toMatchObject({ code: 'model_unresolved', category: 'definition' });
  });
});
