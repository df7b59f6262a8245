import { createHash } from 'node:crypto';
import { isLaitError } from '../../errors/lait-error.js';
import type { BackgroundService } from '../background-service.js';
import { problemOf } from '../http/problem-of.js';
import type { ServerContext } from '../server-context.js';
import { type Schedule, scheduleOf } from './schedule.js';
import { nextSlot, slotsBetween } from './slots.js';

/** A slot is on time when it is looked at within this time; later it was missed. */
const onTimeMs = 60_000;
/** So many schedules are looked at in one go. */
const batchSize = 100;

export interface SchedulerOptions {
  server: ServerContext;
  /** Milliseconds since 1970. Default: the system's clock. */
  now?: () => number;
}

/**
 * Starts the runs of schedules. Several processes do it at once: the id of a run is derived from its slot, so that each
 * slot starts one run however many look at it, and also when one of them dies on the way.
 */
export class Scheduler implements BackgroundService {
  readonly #server: ServerContext;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;

  constructor({ server, now = Date.now }: SchedulerOptions) {
    this.#server = server;
    this.#now = now;
  }

  start(): void {
    const tick = () => {
      this.#ticking ??= this.tick()
        .catch((error: unknown) => this.#failed(error))
        .finally(() => {
          this.#ticking = undefined;
        });
    };
    this.#timer = setInterval(tick, this.#server.settings.pollMs);
    tick();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#ticking;
  }

  /** Starts what is due by now. */
  async tick(): Promise<void> {
    const now = this.#now();
    await this.#afterClockJump(now);
    for (;;) {
      const due = await this.#server.database.read((queries) =>
        queries
          .selectFrom('schedules')
          .selectAll()
          .where('enabled', '=', 1)
          .where('next_at', '<=', now)
          .orderBy('next_at')
          .limit(batchSize)
          .execute(),
      );
      let moved = 0;
      for (const row of due) {
        const schedule = scheduleOf(row);
        try {
          await this.#fire(schedule, now);
          moved += 1;
        } catch (error) {
          // It stays due; the others have their turn.
          this.#failed(error, schedule.id);
        }
      }
      if (due.length < batchSize || moved === 0) return;
    }
  }

  async #fire(schedule: Schedule, now: number): Promise<void> {
    const first = schedule.nextAt!;
    const slots = dueSlots(schedule, first, now);
    let lastRunId = schedule.lastRunId;
    let lastError: string | null = null;
    for (const slot of slots.fire) {
      const outcome = await this.#startRun(schedule, slot);
      if ('runId' in outcome) lastRunId = outcome.runId;
      else lastError = outcome.error;
    }
    const { cron, timeZone } = schedule;
    const next_at = cron === null ? null : nextSlot({ cron, timeZone }, Math.max(now, slots.newest));
    await this.#server.database.write((queries) =>
      queries
        .updateTable('schedules')
        .set({
          next_at,
          last_at: slots.newest,
          last_run_id: lastRunId,
          last_error: lastError === null ? null : JSON.stringify(lastError),
          ...(next_at === null && { enabled: 0 }),
        })
        .where('schedule_id', '=', schedule.id)
        // Whoever was faster has moved it on, or somebody has changed it meanwhile.
        .where('next_at', '=', first)
        .execute(),
    );
  }

  /** Starts the run of a slot, unless it was started before. Throws only what may be over at the next look. */
  async #startRun(schedule: Schedule, slot: number): Promise<{ runId: string } | { error: string }> {
    const runId = slotRunId(schedule.id, slot);
    const scheduledFor = new Date(slot).toISOString();
    const { call } = schedule;
    try {
      await this.#server.runs.create(
        {
          workflow: schedule.workflow,
          runId,
          ...(call.input !== undefined && { input: call.input }),
          ...(call.inputs !== undefined && { inputs: call.inputs }),
          ...(call.state !== undefined && { state: call.state }),
          ...(call.request_context !== undefined && { requestContext: call.request_context }),
          ...(call.priority !== undefined && { priority: call.priority }),
          ...(call.skip_approval !== undefined && { skipApproval: call.skip_approval }),
          referenceTime: scheduledFor,
          events: [
            {
              event_type: 'run_scheduled',
              payload: {
                source_kind: schedule.cron === null ? 'one_shot' : 'recurring',
                scheduler_job_id: schedule.id,
                scheduled_for: scheduledFor,
              },
            },
          ],
        },
        { id: schedule.id, name: schedule.name, scopes: [] },
      );
      return { runId };
    } catch (error) {
      if (isLaitError(error) && error.code === 'run_exists') return { runId };
      const { status, message } = problemOf(error);
      if (status >= 500) throw error;
      this.#server.logger.warn({ schedule_id: schedule.id, reason: message }, 'a schedule started no run');
      return { error: this.#server.secrets.mask(message) };
    }
  }

  /** A clock that went back leaves schedules that wait for a time far away: they begin from now again. */
  async #afterClockJump(now: number): Promise<void> {
    const ahead = await this.#server.database.read((queries) =>
      queries
        .selectFrom('schedules')
        .selectAll()
        .where('enabled', '=', 1)
        .where('cron', 'is not', null)
        .where('last_at', '>', now + onTimeMs)
        .execute(),
    );
    for (const { schedule_id, cron, time_zone, next_at } of ahead) {
      const next = nextSlot({ cron: cron!, timeZone: time_zone }, now);
      await this.#server.database.write((queries) =>
        queries
          .updateTable('schedules')
          .set({ next_at: next, last_at: null })
          .where('schedule_id', '=', schedule_id)
          .where('next_at', next_at === null ? 'is' : '=', next_at)
          .execute(),
      );
    }
  }

  #failed(error: unknown, schedule_id?: string): void {
    const { secrets, logger } = this.#server;
    logger.error({ schedule_id, err: { message: secrets.mask(String(error)) } }, 'schedules failed');
  }
}

/** The slots that start a run, the oldest first, and the newest slot that is due. */
function dueSlots(
  { cron, timeZone, missedRunPolicy, missedRunLimit }: Schedule,
  first: number,
  now: number,
): { fire: number[]; newest: number } {
  // On-time slots of one look can be one a second at most.
  const most = missedRunLimit + Math.ceil(onTimeMs / 1000) + 1;
  const due = cron === null ? [first] : slotsBetween({ cron, timeZone }, first, now, most);
  const newest = due.at(-1) ?? first;
  const onTime = due.filter((slot) => now - slot <= onTimeMs);
  const missed = due.filter((slot) => now - slot > onTimeMs);
  if (missed.length === 0 || missedRunPolicy === 'skip') return { fire: onTime, newest };
  if (missedRunPolicy === 'run_all') return { fire: [...missed.slice(-missedRunLimit), ...onTime], newest };
  return { fire: onTime.length > 0 ? onTime : [newest], newest };
}

/** The run of a slot has always the same id. */
export function slotRunId(scheduleId: string, slot: number): string {
  return `wrun_${createHash('sha256').update(`${scheduleId}\0${slot}`).digest('hex').slice(0, 32)}`;
}
