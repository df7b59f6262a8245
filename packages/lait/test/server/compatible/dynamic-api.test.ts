import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamicApi } from '../../../src/server/compatible/dynamic/dynamic-api.js';
import { RequestedRuns } from '../../../src/server/compatible/dynamic/requested-runs.js';
import { complete, tool, tools } from '../../dialects/dynamic/host.js';
import { delta, type ModelServer, startModelServer, streams } from '../../models/model-server.js';
import { startTestServer, type TestServer, until } from '../support/test-server.js';

let model: ModelServer;
let server: TestServer;
/** Another process of the same database that works on nothing. */
let other: TestServer;

beforeAll(async () => {
  model = await startModelServer(
    streams(
      delta({ role: 'assistant', content: 'こん' }),
      delta({ content: 'にちは 🎉' }),
      delta({}, 'stop'),
      'data: [DONE]\n\n',
    ),
  );
  const options = {
    groups: [dynamicApi],
    config: { base_url: model.baseUrl, default: { model: 'm' } },
    services: { tools, agents: { writer: { system: 'Write.' } }, streaming: true } as never,
  };
  server = await startTestServer(options);
  other = await startTestServer({
    ...options,
    settings: { concurrency: 0 },
    database: `${server.directory}/lait.db`,
  });
  await register('writes', [{ type: 'agent', id: 'write', agentId: 'writer' }]);
  await register('asks', [tool('ask'), tool('echo')]);
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

async function register(id: string, graph: unknown[]): Promise<void> {
  const { status, body } = await server.call('POST', '/api/stored/workflows', complete({ id, graph }));
  expect(status, JSON.stringify(body)).toBe(200);
}

async function stream(from: TestServer, path: string, body: unknown = {}) {
  const response = await fetch(`${from.url}/api/workflows/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  // Every event has its separator behind it, also the last one.
  expect(text.endsWith('\u001e')).toBe(true);
  const events = text.split('\u001e').slice(0, -1);
  return { response, events: events.map((event) => JSON.parse(event)) };
}

describe('[server.dynamic-api] the dynamic form’s own interface', () => {
  it('streams what models say, in its place; replays leave tokens out', async () => {
    const { response, events } = await stream(server, 'writes/stream?runId=w1', {
      inputData: { prompt: 'hi' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(events.map(({ type }) => type)).toEqual([
      'workflow-start',
      'workflow-step-start',
      'workflow-step-output',
      'workflow-step-output',
      'workflow-step-result',
      'workflow-finish',
    ]);
    expect(events[2]).toMatchObject({
      from: 'USER',
      runId: 'w1',
      payload: { stepName: 'write', output: { type: 'text-delta', payload: { text: 'こん' } } },
    });
    expect(events[5].payload.finalWorkflowResult).toEqual({ text: 'こんにちは 🎉' });
    const replay = await stream(other, 'writes/observe?runId=w1');
    expect(replay.events.map(({ type }) => type)).toEqual([
      'workflow-start',
      'workflow-step-start',
      'workflow-step-result',
      'workflow-finish',
    ]);
    expect(replay.events[2]).toEqual(
      expect.objectContaining({ payload: expect.objectContaining({ id: 'write' }) }),
    );
  });

  it('lets any process of the database start, look, resume and observe', async () => {
    const { body } = await other.call('POST', '/api/workflows/asks/start-async?runId=a1', {
      inputData: { q: 1 },
    });
    expect(body).toMatchObject({ status: 'suspended', suspended: [['ask']] });
    const resumed = await stream(other, 'asks/resume-stream?runId=a1', { step: 'ask', resumeData: 'はい' });
    expect(resumed.events.at(-1).payload).toMatchObject({
      workflowStatus: 'success',
      finalWorkflowResult: { answered: 'はい' },
    });
    const [one, two] = await Promise.all(
      [server, other].map((each) => each.call('GET', '/api/workflows/asks/runs/a1')),
    );
    expect(one!.body).toEqual(two!.body);
    expect(one!.body.steps.ask).toMatchObject({
      status: 'success',
      suspendPayload: { asks: { q: 1 } },
      resumePayload: 'はい',
    });
  });

  it('tells errors in the words that its clients know', async () => {
    const post = (path: string, body?: unknown) => server.call('POST', `/api/workflows/${path}`, body);
    expect(await post('asks/start', { inputData: {} })).toMatchObject({
      status: 400,
      body: { error: 'runId required to start run' },
    });
    expect(await post('asks/start?runId=unknown', {})).toMatchObject({
      status: 404,
      body: { error: 'Workflow run not found' },
    });
    expect(await post('nope/create-run', {})).toMatchObject({
      status: 404,
      body: { error: 'Workflow not found' },
    });
    expect(await post('writes/resume?runId=a1', {})).toMatchObject({ status: 404 });
    expect(await post('asks/resume?runId=a1', { resumeData: 1 })).toMatchObject({ status: 400 });
    expect(await post('asks/start-async?runId=a1', { inputData: {} })).toMatchObject({ status: 409 });
    expect(await post('asks/start-async', '{"inputData":')).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
    expect(await post('asks/start-async', { initialState: 7 })).toMatchObject({
      status: 400,
      body: { error: 'Invalid request body', issues: [{ field: 'initialState' }] },
    });
    expect(await server.call('GET', '/api/workflows/asks/runs?page=minus')).toMatchObject({
      status: 400,
      body: { error: 'Invalid query parameters', issues: [{ field: 'page' }] },
    });
    expect(await server.call('GET', '/api/nothing')).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
  });

  it('needs a bearer token, with the scope for what is done, when the server asks for tokens', async () => {
    const closed = await startTestServer({ groups: [dynamicApi], settings: { requireToken: true } });
    try {
      const none = await closed.call('GET', '/api/workflows');
      expect(none).toMatchObject({ status: 401, body: { error: expect.any(String) } });
      const { token } = await closed.context.tokens.create({ name: 'r', scopes: ['read'] });
      const headers = { authorization: `Bearer ${token}` };
      expect((await closed.call('GET', '/api/workflows', undefined, headers)).status).toBe(200);
      const stored = complete({ id: 'x', graph: [tool('echo')] });
      expect((await closed.call('POST', '/api/stored/workflows', stored, headers)).status).toBe(403);
    } finally {
      await closed.stop();
    }
  });

  it('shows nothing of other forms, and names that JavaScript knows are names', async () => {
    await server.context.definitions.put({
      id: 'steps-one',
      form: 'steps',
      content: 'steps:\n  - jq: "1"\n',
    });
    await register('constructor', [tool('echo')]);
    expect((await server.call('GET', '/api/workflows/steps-one')).status).toBe(404);
    expect((await server.call('GET', '/api/stored/workflows/steps-one')).status).toBe(404);
    await server.call('DELETE', '/api/stored/workflows/steps-one');
    expect((await server.context.definitions.get('steps-one')).definition.form).toBe('steps');
    const { body } = await server.call('GET', '/api/workflows');
    expect(Object.keys(body).sort()).toEqual(['asks', 'constructor', 'writes']);
    expect((await server.call('GET', '/api/workflows/run-counts')).body.constructor).toEqual({
      running: 0,
      suspended: 0,
    });
    expect((await server.call('GET', '/api/workflows/__proto__')).status).toBe(404);
  });

  it('forgets runs that nobody has started, after a while', async () => {
    await server.call('POST', '/api/workflows/asks/create-run?runId=idle', {});
    const requested = new RequestedRuns(server.context.database);
    await requested.removeBefore('2000-01-01T00:00:00.000Z');
    expect(await requested.find('idle')).toBeDefined();
    await requested.removeBefore('2999-01-01T00:00:00.000Z');
    expect(await requested.find('idle')).toBeUndefined();
    // Runs that were started stay.
    await until(async () => (await requested.find('a1')) !== undefined);
  });
});
