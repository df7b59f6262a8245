import { describe, expect, it } from 'vitest';
import { checkQuestions } from '../../src/models/decision-questions.js';
import { createDecisionService } from '../../src/models/decision-service.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import type { JsonValue, Value } from '../../src/values/value.js';
import { type Answer, json, text as page, startModelServer } from '../models/model-server.js';
import { run } from './model-plan.js';

const questions = {
  urgent: { type: 'noul', instructions: '今日中?' },
  team: { type: 'choice', criteria: { billing: 'payments', sales: null } },
};
const answers = {
  team: { type: 'choice', choice: 'billing', confidence: 0.8 },
  urgent: { type: 'noul', noul: 0.95 },
};

async function decide(
  answer: Answer,
  input: Value,
  options: { asked?: object; jev?: object; model?: string } = {},
) {
  const server = await startModelServer(answer);
  const secrets = new SecretRegistry();
  const decisions = createDecisionService({
    base_url: server.baseUrl,
    variables: { K: 'jev-secret' },
    secrets,
    ...options.jev,
  });
  const fields = { decide: options.asked ?? questions, ...(options.model ? { model: options.model } : {}) };
  const ran = await run([{ kind: 'decide', id: 'tri', fields }], { services: { decisions }, input });
  return { ...ran, server };
}

describe('decide', () => {
  it('[decide.question-order] sends the input as state and gives the answers in the order of the questions', async () => {
    const { value, server } = await decide(json({ answers, usage: { input_tokens: 3 } }), '二重請求です');
    expect(value).toEqual(answers);
    expect(Object.keys(value as object)).toEqual(['urgent', 'team']);
    expect(server.requests[0]!.path).toBe('/v1/systemone');
    expect(server.requests[0]!.body).toEqual({ model: 'jev-latest', state: '二重請求です', questions });
    expect(server.requests[0]!.headers.authorization).toBeUndefined();
  });

  it.each([
    [{ a: 1 }, { a: 1 }],
    [[1], [1]],
    [12, '12'],
    [true, 'true'],
    [null, ''],
    ['', ''],
  ] as [JsonValue, JsonValue][])('sends %j as %j', async (input, state) => {
    const { server } = await decide(json({ answers }), input);
    expect(server.requests[0]!.body.state).toEqual(state);
  });

  it('uses the model of the step, then of the configuration, and sends a key only when there is one', async () => {
    const jev = { model: 'jev-2', api_key: '${K}' };
    const first = await decide(json({ answers }), 'x', { jev });
    expect(first.server.requests[0]!.body.model).toBe('jev-2');
    expect(first.server.requests[0]!.headers.authorization).toBe('Bearer jev-secret');
    const second = await decide(json({ answers }), 'x', { jev, model: 'jev-9' });
    expect(second.server.requests[0]!.body.model).toBe('jev-9');
  });

  it.each([
    ['an answer of another type', { ...answers, urgent: { type: 'choice', choice: 'x' } }, /urgent/],
    ['a missing answer', { urgent: answers.urgent }, /team/],
    ['an answer that was not asked', { ...answers, extra: answers.urgent }, /extra/],
    ['a value of the wrong type', { ...answers, urgent: { type: 'noul', noul: '0.9' } }, /urgent/],
    ['no answers', null, /no answers/],
  ])('refuses %s', async (_, given, message) => {
    const { error, server } = await decide(json({ answers: given }), 'x');
    expect(error).toMatchObject({ code: 'decision_reply_invalid', category: 'model' });
    expect((error.cause as Error).message).toMatch(message);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [{ detail: { message: 'no such key' } }, /401: no such key/],
    [{ detail: [{ msg: 'field required' }, { msg: 'too long' }] }, /field required; too long/],
    [{ detail: 'plain words' }, /plain words/],
    [{ other: 1 }, /"other":1/],
  ])("shows status and the server's words", async (body, message) => {
    const { error, server } = await decide(json(body, 401), 'x');
    expect(error).toMatchObject({ code: 'decision_refused', details: { status: 401 } });
    expect((error.cause as Error).message).toMatch(message);
    expect(server.requests).toHaveLength(1);
  });

  it('never shows the key, even when the server repeats it', async () => {
    const { error } = await decide(json({ detail: 'bad key jev-secret' }, 401), 'x', {
      jev: { api_key: '${K}' },
    });
    expect((error.cause as Error).message).toContain('bad key [REDACTED]');
    expect(JSON.stringify(error.details)).not.toContain('jev-secret');
  });

  it('reports pages, half replies and dead servers', async () => {
    expect((await decide(page('<html>'), 'x')).error).toMatchObject({ code: 'decision_reply_invalid' });
    expect((await decide((response) => void response.socket?.destroy(), 'x')).error).toMatchObject({
      code: 'decision_unreachable',
    });
  });

  it('does not run while replaying', async () => {
    const { error } = await run([{ kind: 'decide', id: 'tri', fields: { decide: questions } }], {
      models: { replayDirectory: 'somewhere' },
    });
    expect(error).toMatchObject({ code: 'decide_not_replayable' });
    expect((error.cause as Error).message).toContain('--replay');
  });
});

describe('the questions of decide', () => {
  const options = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`o${index}`, null]));
  it.each([
    [questions],
    [{ q: { type: 'noul', criteria: { true: 'yes', false: 'no' } } }],
    [{ q: { type: 'score', instructions: { goal: 'x', hints: ['y'] }, criteria: ['calm', 'upset'] } }],
    [{ q: { type: 'choice', criteria: options(255) } }],
    [JSON.parse('{"__proto__": {"type": "noul"}}')],
  ])('accepts %j', (asked) => {
    expect(checkQuestions(asked as JsonValue)).toEqual([]);
  });

  it.each([
    [{}, [[]]],
    [['noul'], [[]]],
    [{ q: { type: 'maybe' } }, [['q', 'type']]],
    [{ q: {} }, [['q']]],
    [{ q: 'noul' }, [['q']]],
    [{ q: { type: 'noul', extra: 1 } }, [['q', 'extra']]],
    [{ q: { type: 'noul', instructions: 3 } }, [['q', 'instructions']]],
    [{ q: { type: 'noul', criteria: { maybe: 'x' } } }, [['q', 'criteria', 'maybe']]],
    [{ q: { type: 'choice' } }, [['q', 'criteria']]],
    [{ q: { type: 'choice', criteria: options(1) } }, [['q', 'criteria']]],
    [{ q: { type: 'choice', criteria: options(256) } }, [['q', 'criteria']]],
    [{ q: { type: 'choice', criteria: ['a', 'b'] } }, [['q', 'criteria']]],
    [{ q: { type: 'score', criteria: ['one'] } }, [['q', 'criteria']]],
    [{ q: { type: 'score', criteria: ['one', null] } }, [['q', 'criteria', 1]]],
    [
      { a: { type: 'x' }, b: { type: 'noul', y: 1 } },
      [
        ['a', 'type'],
        ['b', 'y'],
      ],
    ],
  ])('refuses %j', (asked, paths) => {
    expect(checkQuestions(asked as JsonValue).map(({ path }) => path)).toEqual(paths);
  });
});
