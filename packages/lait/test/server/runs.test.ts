import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localActor } from '../../src/server/access/scopes.js';
import { runWhen, startTestServer, type TestServer } from './support/test-server.js';

const pure = `
inputs:
  name: string
steps:
  - id: greet
    jq: '"hello " + $inputs.name'
  - id: loud
    jq: ascii_upcase
`;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.context.definitions.put({ id: 'greet', form: 'steps', content: pure });
});
afterAll(() => server.stop());

describe('runs over HTTP', () => {
  it('are created, worked on, and looked at', async () => {
    const created = await server.call('POST', '/v1/runs', { workflow: 'greet', inputs: { name: '世界 🎉' } });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const run = await runWhen(server, created.body.run_id, 'completed', 'failed');
    expect(run).toMatchObject({
      status: 'completed',
      result: 'HELLO 世界 🎉',
      workflow: 'greet',
      form: 'steps',
    });
    expect(run.nodes.map((node: { node_id: string; status: string }) => [node.node_id, node.status])).toEqual(
      [
        ['greet', 'succeeded'],
        ['loud', 'succeeded'],
      ],
    );
    expect(localActor.id).toBe('local');
  });
});
