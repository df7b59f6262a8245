import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Scheduler } from '../../../src/server/schedules/scheduler.js';
import { serverGroups } from '../../../src/server/server-groups.js';
import { runWhen, startTestServer, type TestServer, until } from '../support/test-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.context.definitions.put({
    id: 'count',
    form: 'steps',
    content: 'inputs:\n  n: integer\nsteps:\n  - jq: $inputs.n\n',
  });
});
afterAll(() => server.stop());

const create = (body: object) =>
  server.call('POST', '/v1/schedules', { workflow: 'count', inputs: { n: 1 }, ...body });

describe('[schedules.routes] schedules over HTTP', () => {
  it('are created, listed, changed, switched off and removed', async () => {
    const made = await create({ name: '朝 🌅', cron: '0 9 * * MON-FRI', time_zone: 'Asia/Tokyo' });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body).toMatchObject({
      schedule_id: expect.stringMatching(/^sched_[0-9a-f]{32}$/),
      name: '朝 🌅',
      form: 'steps',
      cron: '0 9 * * MON-FRI',
      at: null,
      missed_run_policy: 'run_once',
      missed_run_limit: 10,
      enabled: true,
      inputs: { n: 1 },
      last_at: null,
    });
    expect(made.body.next_at).toMatch(/T00:00:00\.000Z$/);
    const path = `/v1/schedules/${made.body.schedule_id}`;
    expect(made.headers.get('location')).toBe(path);
    const off = await server.call('PATCH', path, { enabled: false, missed_run_policy: 'run_all' });
    expect(off.body).toMatchObject({
      enabled: false,
      next_at: null,
      missed_run_policy: 'run_all',
      cron: '0 9 * * MON-FRI',
    });
    const once = await server.call('PATCH', path, { enabled: true, at: '2099-01-01T00:00:00+09:00' });
    expect(once.body).toMatchObject({
      cron: null,
      at: '2098-12-31T15:00:00.000Z',
      next_at: '2098-12-31T15:00:00.000Z',
    });
    expect((await server.call('GET', '/v1/schedules?workflow=count')).body.items).toEqual([once.body]);
    expect((await server.call('GET', '/v1/schedules?workflow=other')).body.items).toEqual([]);
    expect((await server.call('DELETE', path)).status).toBe(204);
    expect((await server.call('GET', path)).body.code).toBe('schedule_not_found');
    expect((await server.call('DELETE', path)).status).toBe(404);
  });

  it.each([
    ['no time at all', {}, 422],
    ['two kinds of time', { cron: '* * * * *', at: '2099-01-01T00:00:00Z' }, 422],
    ['an expression that is none', { cron: 'every day' }, 422],
    ['a time that never comes', { cron: '0 0 30 2 *' }, 422],
    ['an unknown zone', { cron: '* * * * *', time_zone: 'Mars/Base' }, 422],
    ['a time that has passed', { at: '2001-01-01T00:00:00Z' }, 422],
    ['an unknown workflow', { cron: '* * * * *', workflow: 'nope' }, 404],
    ['inputs that do not fit', { cron: '* * * * *', inputs: { n: 'x' } }, 422],
    ['an unknown field', { cron: '* * * * *', crom: 1 }, 422],
    ['a policy that is none', { cron: '* * * * *', missed_run_policy: 'all' }, 422],
  ])('are refused with %s', async (_what, body, status) => {
    const refused = await create(body);
    expect(refused.status, JSON.stringify(refused.body)).toBe(status);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect((await server.call('GET', '/v1/schedules')).body.items).toEqual([]);
  });

  it('need the scope to answer for runs without consent', async () => {
    const { token } = await server.context.tokens.create({ name: 'w', scopes: ['write'] });
    const body = { workflow: 'count', inputs: { n: 1 }, cron: '* * * * *', skip_approval: true };
    const refused = await server.call('POST', '/v1/schedules', body, { authorization: `Bearer ${token}` });
    expect(refused.status).toBe(403);
  });

  it('start runs beside the requests', async () => {
    const { background } = serverGroups(server.context);
    const scheduler = background.find((service) => service instanceof Scheduler)!;
    const { body } = await create({ at: '2099-01-01T00:00:00Z' });
    const due = Date.parse('2001-01-01T00:00:00Z');
    await server.context.database.write((queries) =>
      queries
        .updateTable('schedules')
        .set({ next_at: due })
        .where('schedule_id', '=', body.schedule_id)
        .execute(),
    );
    scheduler.start();
    try {
      const fired = await until(async () => {
        const found = await server.call('GET', `/v1/schedules/${body.schedule_id}`);
        return found.body.last_run_id === null ? undefined : found.body;
      });
      expect(fired).toMatchObject({ enabled: false, next_at: null, at: '2001-01-01T00:00:00.000Z' });
      expect(await runWhen(server, fired.last_run_id, 'completed')).toMatchObject({ result: 1 });
    } finally {
      await scheduler.stop();
    }
  });
});
