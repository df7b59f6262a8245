import type { RunEvent } from '../../engine/events.js';
import type { Span } from '../../observe/trace/span.js';
import { TraceRecorder } from '../../observe/trace/trace-recorder.js';
import type { Pricing } from '../../observe/usage-report.js';
import type { SecretRegistry } from '../../values/secrets.js';

export interface RunTracesOptions {
  /** Base address of an OpenTelemetry collector; without one nothing is recorded. */
  otlp: string | undefined;
  secrets: SecretRegistry;
  pricing: ReadonlyMap<string, Pricing>;
  version: string;
  onError(error: unknown): void;
}

const ends = new Set<RunEvent['type']>(['run.completed', 'run.failed', 'run.cancelled', 'run.parked']);

/** Sends what happened in each pass of a run to an OpenTelemetry collector when the pass has ended. */
export class RunTraces {
  readonly #passes = new Map<string, { recorder: TraceRecorder; spans: Span[] }>();

  constructor(private readonly options: RunTracesOptions) {}

  add(runId: string, event: RunEvent): void {
    const { otlp, secrets, pricing } = this.options;
    if (otlp === undefined) return;
    if (event.type === 'run.started') {
      const spans: Span[] = [];
      const recorder = new TraceRecorder({
        mask: (value) => secrets.maskValue(value),
        pricing,
        onSpan: (span) => spans.push(span),
      });
      this.#passes.set(runId, { recorder, spans });
    }
    const pass = this.#passes.get(runId);
    pass?.recorder.handle(event);
    if (pass === undefined || !ends.has(event.type)) return;
    this.#passes.delete(runId);
    pass.recorder.close();
    void this.#send(pass.spans, otlp);
  }

  async #send(spans: readonly Span[], otlp: string): Promise<void> {
    try {
      const { exportSpans } = await import('../../observe/trace/export-spans.js');
      await exportSpans(spans, otlp, this.options.version);
    } catch (error) {
      this.options.onError(error);
    }
  }
}
