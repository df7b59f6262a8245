import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal, runStatuses } from '../../runs/run-status.js';
import type { BackgroundService } from '../background-service.js';
import { RequestedRuns } from '../compatible/dynamic/requested-runs.js';
import type { ServerContext } from '../server-context.js';

const day = 86_400_000;
/** Audit events are kept longer than what they tell of. */
const auditDays = 365;
const ended = runStatuses.filter(isTerminal);

/**
 * Removes runs that ended long ago, at the start and every hour. Runs that have not ended are never removed.
 * Source: graph facts §8.5.
 */
export class Retention implements BackgroundService {
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<unknown> | undefined;
  readonly #stop = new AbortController();

  constructor(private readonly server: ServerContext) {}

  start(): void {
    const sweep = () => {
      this.#sweeping ??= this.sweep()
        .catch((error: unknown) =>
          this.server.logger.error({ err: { message: String(error) } }, 'clean-up failed'),
        )
        .finally(() => {
          this.#sweeping = undefined;
        });
    };
    this.#timer = setInterval(sweep, 3_600_000);
    sweep();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#sweeping;
  }

  /** Removes what is due by now; gives the number of runs. */
  async sweep(now = Date.now()): Promise<number> {
    const { settings, runs, audit, logger, database } = this.server;
    if (settings.retentionDays === 0) return 0;
    const finishedBefore = new Date(now - settings.retentionDays * day).toISOString();
    let removed = 0;
    while (!this.#stop.signal.aborted) {
      const due = await runs.list({ statuses: ended, finishedBefore, order: 'oldest', limit: 100 });
      for (const { run_id } of due) await runs.forget(run_id);
      removed += due.length;
      if (due.length < 100) break;
      // Requests come first.
      await delay(20);
    }
    await new RequestedRuns(database).removeBefore(finishedBefore);
    await audit.removeBefore(new Date(now - auditDays * day).toISOString());
    if (removed > 0) logger.info({ runs: removed }, 'removed runs that ended long ago');
    return removed;
  }
}
