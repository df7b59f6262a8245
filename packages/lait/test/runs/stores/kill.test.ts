import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { faultPoints } from '../../../src/engine/fault-point.js';
import type { RunStore } from '../../../src/runs/run-store.js';
import { flavours, type StoreFlavour, stopPostgres } from './stores.js';

const worker = fileURLToPath(new URL('./kill-worker.mjs', import.meta.url));

/** Every happening of every fault point when asked for; else the first and the last of each. */
const everyHappening = process.env.LAIT_KILL_EVERYWHERE !== undefined;

function work(
  kind: string,
  address: string,
  effects: string,
  point: string,
  happening: number,
): Promise<{ killed: boolean; output: string }> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [worker, kind, address, effects, point, String(happening)],
      { timeout: 60_000 },
      (error, stdout, stderr) => {
        if (error === null) resolve({ killed: false, output: stdout });
        else if (error.signal === 'SIGKILL' && !error.message.includes('timed out'))
          resolve({ killed: true, output: stdout });
        else reject(new Error(`${error.message}\n${stderr}`));
      },
    );
  });
}

const nodeOfEffect: Readonly<Record<string, string>> = { repeatable: 'a', once: 'b', once_more: 'c' };

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** The nodes whose outcome is recorded. */
async function recordedNodes(store: RunStore): Promise<string[]> {
  const [run] = await store.list();
  if (run === undefined) return [];
  const { entries } = await store.journal(run.run_id);
  return [...entries].flatMap(({ type, address }) =>
    type === 'completed' ? [/^nodes\.(\w+)/.exec(address)?.[1] ?? ''] : [],
  );
}

async function killAndGoOn({ name, place }: StoreFlavour, point: string, happening: number): Promise<void> {
  const at = await place();
  const directory = await mkdtemp(join(tmpdir(), 'lait-kill-'));
  const effects = join(directory, 'effects');
  try {
    const first = await work(name, at.address, effects, point, happening);
    // How writes fall together differs a little from run to run: the last happening may not come.
    expect(first.killed || happening > 1, `${point} was not reached`).toBe(true);
    const before = linesOf(effects);
    const store = await at.open();
    const recorded = await recordedNodes(store);
    await store.close();

    expect((await work(name, at.address, effects, 'none', 0)).killed).toBe(false);

    const after = linesOf(effects);
    for (const line of after.slice(before.length))
      expect(recorded, `${line} was repeated`).not.toContain(nodeOfEffect[line.split(' ')[0]!]);
    const keys = after.map((line) => line.split(' ')[0]);
    expect(keys.filter((key) => key === 'once')).toHaveLength(1);
    expect(keys.filter((key) => key === 'once_more')).toHaveLength(1);
    // An idempotent call may have to be repeated, and is told so by its key.
    expect(new Set(after.filter((line) => line.startsWith('repeatable'))).size).toBe(1);

    const again = await at.open();
    const runs = await again.list();
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ status: 'completed', questions: [] });
    const log = await again.events(runs[0]!.run_id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    const ended = log.filter(({ event_type }) => event_type === 'node_completed');
    expect(ended.map(({ payload }) => payload.node_id).sort()).toEqual(['a', 'b', 'c', 'h', 'p', 't']);
    const answers = log.filter(({ event_type }) => event_type === 'hitl_answer_received');
    expect(answers).toHaveLength(1);
    await again.close();
  } finally {
    await at.remove();
    await rm(directory, { recursive: true, force: true });
  }
}

afterAll(stopPostgres);

const reached = new Set<string>();

describe.each(flavours.filter(({ durable, skip }) => durable && skip === undefined))(
  'a process killed while it works on a run in $name',
  (flavour) => {
    it('goes on in a new process at every fault point [stores.survives-kill]', async () => {
      const at = await flavour.place();
      const directory = await mkdtemp(join(tmpdir(), 'lait-kill-'));
      const { output } = await work(flavour.name, at.address, join(directory, 'effects'), 'count', 0);
      await at.remove();
      await rm(directory, { recursive: true, force: true });
      const counts = JSON.parse(output) as Record<string, number>;
      for (const point of Object.keys(counts)) reached.add(point);
      const kills = Object.entries(counts).flatMap(([point, count]) =>
        everyHappening
          ? Array.from({ length: count }, (_, index) => [point, index + 1] as const)
          : [...new Set([1, count])].map((happening) => [point, happening] as const),
      );
      const waiting = [...kills];
      const next = async () => {
        for (let kill = waiting.shift(); kill !== undefined; kill = waiting.shift())
          await killAndGoOn(flavour, ...kill).catch((error: Error) => {
            error.message = `killed at ${kill![0]} ${kill![1]}: ${error.message}`;
            throw error;
          });
      };
      await Promise.all([next(), next()]);
    }, 600_000);
  },
);

it('reaches every fault point in some store', () => {
  expect(faultPoints.filter((point) => !reached.has(point))).toEqual([]);
});
