import { execFile } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onFaultPoint } from '../../../src/engine/fault-point.js';
import type { JournalEntry } from '../../../src/engine/journal.js';
import { CheckpointClaim } from '../../../src/runs/checkpoint-claim.js';
import { CheckpointStore } from '../../../src/runs/checkpoint-store.js';
import { FileRunStore } from '../../../src/runs/stores/files/file-run-store.js';
import { record } from './stores.js';

const run = promisify(execFile);
const counter = fileURLToPath(new URL('./count-worker.mjs', import.meta.url));
const completed = (address: string, value: string): JournalEntry => ({ type: 'completed', address, value });
const event = (event_type: string) => ({ event_type, payload: {} });

let directory: string;
let store: FileRunStore;
const journalPath = (id: string) => join(directory, 'journal', `${id}.jsonl`);
const logPath = (id: string) => join(directory, 'journal', `${id}.events.jsonl`);

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'lait-files-')), '.lait');
  store = new FileRunStore(directory);
});
afterEach(async () => {
  onFaultPoint(undefined);
  await store.close();
  await rm(join(directory, '..'), { recursive: true, force: true });
});

/** A run with three outcomes and a log, written by a store that is closed. */
async function storedRun(): Promise<string> {
  const one = record();
  const writer = new FileRunStore(directory);
  await writer.create(one, [event('run_created')]);
  const journal = await writer.journal(one.run_id);
  for (const name of ['a', 'b', 'c']) await journal.append(completed(name, `値 ${name}`));
  await writer.update(one.run_id, {
    revision: 1,
    change: { status: 'running', started_at: one.created_at },
    events: [event('started')],
  });
  await writer.append(one.run_id, [event('e1'), event('e2')]);
  await writer.close();
  return one.run_id;
}

it('keeps run files alone among the runs, and everything for its owner alone', async () => {
  const id = await storedRun();
  expect(readdirSync(join(directory, 'runs'))).toEqual([`${id}.json`]);
  for (const path of [store.path(id), journalPath(id), logPath(id)])
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(directory).mode & 0o077).toString(8)).toBe('0');
});

describe('a torn end', () => {
  it('wherever a crash cut the journal, whole outcomes stay and the next one is whole [stores.torn-end]', async () => {
    const id = await storedRun();
    const whole = readFileSync(journalPath(id));
    const ends = [...whole].flatMap((byte, index) => (byte === 0x0a ? [index + 1] : []));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: ends[0]!, max: whole.length }),
        fc.constantFrom('', '\0\0\0'),
        async (cut, rest) => {
          writeFileSync(journalPath(id), Buffer.concat([whole.subarray(0, cut), Buffer.from(rest)]));
          const kept = ends.filter((end) => end <= cut).length - 1;
          const one = new FileRunStore(directory);
          const journal = await one.journal(id);
          expect([...journal.entries]).toHaveLength(kept);
          await journal.append(completed('next', 'x'));
          await one.close();
          const addresses = [...(await new FileRunStore(directory).journal(id)).entries].map(
            ({ address }) => address,
          );
          expect(addresses).toEqual([...['a', 'b', 'c'].slice(0, kept), 'next']);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('of the log leaves no gap in the numbers', async () => {
    const id = await storedRun();
    truncateSync(logPath(id), statSync(logPath(id)).size - 3);
    expect((await store.events(id)).map(({ event_type }) => event_type)).toEqual([
      'run_created',
      'started',
      'e1',
    ]);
    await store.append(id, [event('e3')]);
    const log = await new FileRunStore(directory).events(id);
    expect(log.map(({ seq, event_type }) => `${seq} ${event_type}`)).toEqual([
      '1 run_created',
      '2 started',
      '3 e1',
      '4 e3',
    ]);
  });
});

describe('damage', () => {
  const damages: [string, (path: string) => void][] = [
    ['empty', (path) => truncateSync(path, 0)],
    ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ['overwritten', (path) => writeFileSync(path, 'not json\nnot json\n')],
    ['no UTF-8', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x0a]))],
  ];

  it.each(damages)('of a run that is %s is refused, named, and left as it is', async (_name, damage) => {
    const id = await storedRun();
    const other = await storedRun();
    damage(store.path(id));
    const before = readFileSync(store.path(id));
    const refused = { code: 'file_damaged', message: expect.stringContaining(store.path(id)) };
    await expect(store.read(id)).rejects.toMatchObject(refused);
    await expect(store.update(id, { revision: 2, change: {}, events: [] })).rejects.toMatchObject(refused);
    await expect(store.append(id, [event('x')])).rejects.toMatchObject(refused);
    await expect(store.create(record({ run_id: id }), [])).rejects.toMatchObject({ code: 'run_exists' });
    expect(readFileSync(store.path(id)).equals(before)).toBe(true);
    expect((await store.list()).map(({ run_id }) => run_id)).toEqual([other]);
    expect(await store.problems()).toEqual([
      { run_id: id, problem: expect.stringContaining(store.path(id)) },
    ]);
  });

  it.each([
    ['empty', ''],
    [
      'damaged in the middle',
      '{"format":1,"run_id":"ID"}\n{"type":"comp\n{"type":"started","address":"b"}\n',
    ],
    ['of another run', '{"format":1,"run_id":"wrun_other"}\n'],
    ['without a format', '{"type":"started","address":"b"}\n'],
  ])('of a journal that is %s is refused, and left as it is', async (_name, text) => {
    const id = await storedRun();
    writeFileSync(journalPath(id), text.replace('ID', id));
    await expect(store.journal(id)).rejects.toMatchObject({
      code: 'file_damaged',
      message: expect.stringContaining(journalPath(id)),
    });
    expect(readFileSync(journalPath(id), 'utf8')).toBe(text.replace('ID', id));
  });

  it('is refused when the journal of a run that has done something is gone', async () => {
    const id = await storedRun();
    await store.append(id, [event('node_completed')]);
    await rm(journalPath(id));
    await expect(store.journal(id)).rejects.toMatchObject({ code: 'file_damaged' });
  });

  it('of a newer version is refused everywhere', async () => {
    const id = await storedRun();
    for (const path of [store.path(id), journalPath(id), logPath(id)]) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace('"format":1', '"format":99'));
      const newer = { code: 'file_newer', message: expect.stringContaining(path) };
      const use = path === journalPath(id) ? store.journal(id) : store.events(id);
      await expect(use).rejects.toMatchObject(newer);
      writeFileSync(path, text);
    }
  });
});

describe('writing', () => {
  it('on a full disk says so, leaves whole lines, and goes on when there is room', async () => {
    const id = await storedRun();
    const journal = await store.journal(id);
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    for (const point of ['file.before-write', 'file.before-flush'] as const) {
      onFaultPoint((name) => {
        if (name === point) throw full;
      });
      const refused = { code: 'file_unwritable', message: expect.stringContaining('no space') };
      await expect(journal.append(completed('d', 'x'))).rejects.toMatchObject(refused);
      await expect(store.append(id, [event('lost')])).rejects.toMatchObject(refused);
      onFaultPoint(undefined);
    }
    expect(journal.find('completed', 'd')).toBeUndefined();
    await journal.append(completed('d', 'y'));
    await store.append(id, [event('kept')]);
    const again = new FileRunStore(directory);
    expect([...(await again.journal(id)).entries]).toHaveLength(4);
    expect((await again.events(id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('never writes over what another process has added', async () => {
    const id = await storedRun();
    const journal = await store.journal(id);
    await journal.append(completed('d', 'mine'));
    const line = `${JSON.stringify(completed('e', 'theirs'))}\n`;
    appendFileSync(journalPath(id), line);
    await expect(journal.append(completed('f', 'mine'))).rejects.toMatchObject({ code: 'file_changed' });
    expect(readFileSync(journalPath(id), 'utf8').endsWith(line)).toBe(true);
  });

  it('shares one flush among outcomes that come together [stores.shared-flush]', async () => {
    const id = await storedRun();
    const journal = await store.journal(id);
    let flushes = 0;
    onFaultPoint((name) => {
      if (name === 'file.before-flush') flushes += 1;
    });
    await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(completed(`n${index}`, 'x'))));
    expect(flushes).toBeLessThanOrEqual(2);
    await journal.append(completed('last', 'x'));
    await journal.append(completed('very last', 'x'));
    expect(flushes).toBeGreaterThanOrEqual(3);
  });

  it('of many processes loses no change', async () => {
    await run(process.execPath, [counter, 'files', directory, 'make', '1']);
    await Promise.all(
      ['p', 'q', 'r'].map((name) => run(process.execPath, [counter, 'files', directory, name, '20'])),
    );
    const [counted] = await store.list();
    expect(counted!.answers).toEqual({ p: 20, q: 20, r: 20 });
    const log = await store.events(counted!.run_id);
    expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  it('says who keeps a run locked', async () => {
    const id = await storedRun();
    const claim = await CheckpointClaim.take(join(directory, 'locks', id), id);
    const hasty = new FileRunStore(directory, { patienceMs: 50 });
    await expect(hasty.append(id, [event('x')])).rejects.toMatchObject({
      code: 'run_locked',
      message: expect.stringContaining(String(process.pid)),
    });
    await claim.release();
    await store.append(id, [event('x')]);
  });
});

it('lives beside checkpoints: neither list shows the runs of the other', async () => {
  const id = await storedRun();
  const checkpoints = new CheckpointStore(directory);
  expect(await checkpoints.list()).toEqual([]);
  await expect(checkpoints.read(id)).rejects.toMatchObject({ code: 'checkpoint_of_other_kind' });
  mkdirSync(join(directory, 'runs'), { recursive: true });
  const checkpoint = join(directory, 'runs', '20260101-000000-000000000-1-0.json');
  writeFileSync(checkpoint, '{"format":2}');
  expect((await store.list()).map(({ run_id }) => run_id)).toEqual([id]);
  await store.remove('20260101-000000-000000000-1-0');
  expect(existsSync(checkpoint)).toBe(true);
});
