import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ScheduleFields, ScheduleService } from '../../../src/server/schedules/schedule-service.js';
import { Scheduler, slotRunId } from '../../../src/server/schedules/scheduler.js';
import { type PostgresCluster, postgresAbsent, startPostgres } from '../../support/postgres.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const minute = 60_000;
const hour = 60 * minute;
const begin = Date.parse('2030-01-01T00:00:00Z');
const steps = `
inputs:
  n: integer
steps:
  - jq: $inputs.n
`;

interface Backend {
  name: string;
  skip: string | undefined;
  open(): Promise<string | undefined>;
  close(): Promise<void>;
}

let cluster: PostgresCluster;
const backends: Backend[] = [
  { name: 'SQLite', skip: undefined, open: async () => undefined, close: async () => {} },
  {
    name: 'PostgreSQL',
    skip: postgresAbsent,
    async open() {
      cluster = await startPostgres();
      return cluster.url;
    },
    close: () => cluster.stop(),
  },
];

for (const backend of backends) {
  describe.skipIf(backend.skip !== undefined)(`schedules in ${backend.name}`, () => {
    // What no database can change is shown with one of them.
    const elsewhere = backend.name !== 'SQLite';
    let one: TestServer;
    let other: TestServer;
    let now = begin;
    const clock = () => now;

    beforeAll(async () => {
      const database = await backend.open();
      const settings = { concurrency: 0 };
      one = await startTestServer({ settings, ...(database !== undefined && { database }) });
      other = await startTestServer({ settings, database: database ?? `${one.directory}/lait.db` });
      await one.context.definitions.put({ id: 'count', form: 'steps', content: steps });
    });
    afterAll(async () => {
      await other.stop();
      await one.stop();
      await backend.close();
    });
    beforeEach(async () => {
      now = begin;
      await one.context.database.write((queries) => queries.deleteFrom('schedules').execute());
    });

    const service = () =>
      new ScheduleService({ database: one.context.database, catalog: one.context.catalog, now: clock });
    const create = (fields: Partial<ScheduleFields> = {}) =>
      service().create({
        name: '毎時 ⏰',
        workflow: 'count',
        cron: '0 * * * *',
        at: null,
        timeZone: 'UTC',
        call: { inputs: { n: 1 } },
        missedRunPolicy: 'run_once',
        missedRunLimit: 10,
        enabled: true,
        ...fields,
      });
    const scheduler = (server = one) => new Scheduler({ server: server.context, now: clock });
    /** The slots that have started a run, the oldest first. */
    async function started(id: string): Promise<string[]> {
      const slots: string[] = [];
      for (const { run_id } of await one.context.runs.list({ workflow: 'count', limit: 1000 })) {
        for (const { event_type, payload } of await one.context.runs.events(run_id))
          if (event_type === 'run_scheduled' && payload.scheduler_job_id === id)
            slots.push(String(payload.scheduled_for));
      }
      return slots.sort();
    }

    it('[schedules.slots] start a run at each time, with its inputs and its time', async () => {
      const { id, nextAt } = await create();
      expect(nextAt).toBe(begin + hour);
      await scheduler().tick();
      expect(await started(id)).toEqual([]);
      now = begin + hour;
      await scheduler().tick();
      await scheduler().tick();
      now = begin + 2 * hour + 5000;
      await scheduler().tick();
      expect(await started(id)).toEqual(['2030-01-01T01:00:00.000Z', '2030-01-01T02:00:00.000Z']);
      expect(await service().get(id)).toMatchObject({
        lastAt: begin + 2 * hour,
        nextAt: begin + 3 * hour,
        lastRunId: slotRunId(id, begin + 2 * hour),
        lastError: null,
      });
      const run = await one.context.runs.get(slotRunId(id, begin + hour));
      expect(run).toMatchObject({
        inputs: { n: 1 },
        status: 'queued',
        context: { reference_time: '2030-01-01T01:00:00.000Z' },
      });
    });

    it.skipIf(elsewhere)('[schedules.missed] make up for missed times as their policy says', async () => {
      const skip = await create({ missedRunPolicy: 'skip' });
      const once = await create({ missedRunPolicy: 'run_once' });
      const all = await create({ missedRunPolicy: 'run_all', missedRunLimit: 3 });
      now = begin + 5 * hour + 30 * minute;
      await scheduler().tick();
      expect(await started(skip.id)).toEqual([]);
      expect(await started(once.id)).toEqual(['2030-01-01T05:00:00.000Z']);
      expect(await started(all.id)).toEqual(['03', '04', '05'].map((at) => `2030-01-01T${at}:00:00.000Z`));
      for (const { id } of [skip, once, all]) expect((await service().get(id)).nextAt).toBe(begin + 6 * hour);
    });

    it('[schedules.once] start one run for each time however many processes look', async () => {
      const ids = (await Promise.all(Array.from({ length: 5 }, () => create()))).map(({ id }) => id);
      for (let at = 1; at <= 3; at += 1) {
        now = begin + at * hour;
        await Promise.all([scheduler(one).tick(), scheduler(other).tick(), scheduler(one).tick()]);
      }
      for (const id of ids)
        expect(await started(id)).toEqual(['01', '02', '03'].map((at) => `2030-01-01T${at}:00:00.000Z`));
    });

    it('[schedules.once] go on where a process died between the run and its note', async () => {
      const { id } = await create();
      now = begin + hour;
      await scheduler(one).tick();
      // As it was before the note.
      await one.context.database.write((queries) =>
        queries
          .updateTable('schedules')
          .set({ next_at: begin + hour, last_at: null })
          .where('schedule_id', '=', id)
          .execute(),
      );
      await scheduler(other).tick();
      expect(await started(id)).toEqual(['2030-01-01T01:00:00.000Z']);
      expect((await service().get(id)).nextAt).toBe(begin + 2 * hour);
    });

    it.skipIf(elsewhere)('[schedules.clock] survive a clock that jumps ahead and comes back', async () => {
      const { id } = await create({ missedRunPolicy: 'skip' });
      now = begin + 400 * 24 * hour;
      await scheduler().tick();
      const ahead = await started(id);
      now = begin + hour;
      await scheduler().tick();
      now = begin + hour + minute;
      await scheduler().tick();
      now = begin + 2 * hour;
      await scheduler().tick();
      expect((await started(id)).filter((slot) => !ahead.includes(slot))).toEqual([
        '2030-01-01T02:00:00.000Z',
      ]);
      expect((await service().get(id)).nextAt).toBe(begin + 3 * hour);
    });

    it.skipIf(elsewhere)(
      '[schedules.zones] count in their time zone, through the change to summer time',
      async () => {
        now = Date.parse('2030-03-30T12:00:00Z');
        const { id } = await create({ cron: '0 9 * * *', timeZone: 'Europe/Berlin' });
        now = Date.parse('2030-03-31T07:00:00Z');
        await scheduler().tick();
        now = Date.parse('2030-04-01T07:00:00Z');
        await scheduler().tick();
        // Nine o'clock is 08:00 UTC in winter and 07:00 UTC in summer.
        expect(await started(id)).toEqual(['2030-03-31T07:00:00.000Z', '2030-04-01T07:00:00.000Z']);
      },
    );

    it.skipIf(elsewhere)('[schedules.one-shot] fire once at their time and are then off', async () => {
      const { id } = await create({ cron: null, at: begin + hour });
      now = begin + hour + 10 * minute;
      await scheduler().tick();
      await scheduler().tick();
      expect(await started(id)).toEqual(['2030-01-01T01:00:00.000Z']);
      expect(await service().get(id)).toMatchObject({ enabled: false, nextAt: null, lastAt: begin + hour });
      await expect(service().change(id, { enabled: true })).rejects.toThrow('the time has passed');
      const again = await service().change(id, { enabled: true, at: begin + 3 * hour });
      expect(again).toMatchObject({ enabled: true, nextAt: begin + 3 * hour });
    });

    it.skipIf(elsewhere)('[schedules.errors] say why a time started no run, and go on', async () => {
      await one.context.definitions.put({ id: 'gone', form: 'steps', content: steps });
      const gone = await create({ workflow: 'gone' });
      const fine = await create();
      await one.context.definitions.remove('gone');
      now = begin + hour;
      await scheduler().tick();
      expect(await service().get(gone.id)).toMatchObject({
        lastError: expect.stringContaining("'gone'"),
        nextAt: begin + 2 * hour,
      });
      expect(await started(fine.id)).toHaveLength(1);
    });

    it.skipIf(elsewhere)('[schedules.switch] leave out what was due while they were off', async () => {
      const { id } = await create({ missedRunPolicy: 'run_all' });
      await service().change(id, { enabled: false });
      now = begin + 5 * hour + minute;
      await scheduler().tick();
      await service().change(id, { enabled: true });
      await scheduler().tick();
      expect(await started(id)).toEqual([]);
      now = begin + 6 * hour;
      await scheduler().tick();
      expect(await started(id)).toEqual(['2030-01-01T06:00:00.000Z']);
    });
  });
}
