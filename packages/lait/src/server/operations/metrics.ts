import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RunEvent } from '../../engine/events.js';
import type { RunRecord } from '../../runs/run-record.js';

/** What is measured, in the format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'lait_http_requests_total',
    help: 'HTTP requests by operation and status',
    labelNames: ['operation', 'status'],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: 'lait_http_request_seconds',
    help: 'Seconds until a response began, by operation',
    labelNames: ['operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  });
  readonly #runs = new Counter({
    name: 'lait_runs_total',
    help: 'Times a run was let go of by a worker, by form and by the status it was left in',
    labelNames: ['form', 'status'],
    registers: [this.#registry],
  });
  readonly #startLatency = new Histogram({
    name: 'lait_run_start_seconds',
    help: 'Seconds from the creation of a run to its first step',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120],
    registers: [this.#registry],
  });
  readonly #modelCalls = new Counter({
    name: 'lait_model_requests_total',
    help: 'Model requests by model and outcome',
    labelNames: ['model', 'outcome'],
    registers: [this.#registry],
  });
  readonly #tokens = new Counter({
    name: 'lait_model_tokens_total',
    help: 'Tokens by model and direction',
    labelNames: ['model', 'direction'],
    registers: [this.#registry],
  });

  /** A value that is looked up when it is asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  request(operation: string, status: number, seconds: number): void {
    this.#requests.inc({ operation, status });
    this.#durations.observe({ operation }, seconds);
  }

  worked({ definition, status, created_at, started_at }: RunRecord): void {
    this.#runs.inc({ form: definition.form, status });
    if (started_at !== undefined)
      this.#startLatency.observe(Math.max(0, Date.parse(started_at) - Date.parse(created_at)) / 1000);
  }

  engine(event: RunEvent): void {
    if (event.type === 'model.failed') this.#modelCalls.inc({ model: event.model, outcome: 'failed' });
    if (event.type !== 'model.responded') return;
    this.#modelCalls.inc({ model: event.model, outcome: event.source });
    if (event.usage === null) return;
    const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = event.usage;
    this.#tokens.inc(
      { model: event.model, direction: 'input' },
      inputTokens + cachedInputTokens + cacheWriteTokens,
    );
    this.#tokens.inc({ model: event.model, direction: 'output' }, outputTokens);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
