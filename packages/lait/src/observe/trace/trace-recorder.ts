import { randomBytes } from 'node:crypto';
import type { RunEvent } from '../../engine/events.js';
import type { JsonValue } from '../../values/value.js';
import type { Pricing } from '../usage-report.js';
import type { Span, SpanOperation } from './span.js';
import { type Attributes, failedCallAttributes, replyAttributes, toolAttributes } from './span-attributes.js';

/** A span that has begun. */
export interface OpenSpan {
  span_id: string;
  parent: OpenSpan | undefined;
  operation: SpanOperation;
  label: string;
  start: number;
  attributes: Attributes;
}

export interface TraceRecorderOptions {
  /** Told of each span as it ends, with the spans around it, outermost first. */
  onSpan: (span: Span, ancestors: readonly OpenSpan[]) => void;
  /** Hides secrets in what is recorded. */
  mask: <T extends JsonValue>(value: T) => T;
  /** Prices by model id, for `lait.cost`. */
  pricing?: ReadonlyMap<string, Pricing>;
  now?: () => number;
}

/** Makes spans of the events of one run: run, child workflows, steps, model calls, tool calls, compactions. */
export class TraceRecorder {
  readonly traceId = hexadecimal(16);
  readonly #options: TraceRecorderOptions;
  readonly #now: () => number;
  /** Spans that have begun, by the address of what they measure. */
  readonly #open = new Map<string, OpenSpan>();
  /** Arguments of tool calls under way, by address and call. */
  readonly #arguments = new Map<string, JsonValue>();
  #run: OpenSpan | undefined;

  constructor(options: TraceRecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  handle(event: RunEvent): void {
    switch (event.type) {
      case 'run.started': {
        const attributes = {
          'lait.run.id': event.runId,
          'lait.workflow': event.workflow,
          'lait.form': event.form,
        };
        this.#run = this.#begin('run', event.name ?? event.workflow, undefined, attributes);
        break;
      }
      case 'run.completed':
      case 'run.parked':
        this.close();
        break;
      case 'run.failed':
        this.close(event.error.message);
        break;
      case 'run.cancelled':
        this.close('cancelled');
        break;
      case 'workflow.started':
        this.#open.set(
          `${event.address}>`,
          this.#begin('workflow', event.name ?? event.workflow, this.#around(event.address), {
            'lait.workflow': event.workflow,
          }),
        );
        break;
      case 'workflow.completed':
        this.#finish(`${event.address}>`);
        break;
      case 'step.started':
        this.#open.set(
          event.address,
          this.#begin('step', event.label, this.#around(event.address, true), {
            'lait.step.path': event.path,
            'lait.step.kind': event.kind,
            ...(event.id === undefined ? {} : { 'lait.step.id': event.id }),
          }),
        );
        break;
      case 'step.completed':
        this.#finish(event.address, undefined, { 'lait.step.attempt': event.attempt });
        break;
      case 'step.failed':
        this.#finish(`${event.address}>`, event.error.message);
        this.#finish(event.address, event.error.message);
        break;
      case 'model.responded':
        this.#end('chat', event, replyAttributes(event, this.#options.pricing));
        break;
      case 'model.failed':
        this.#end('chat', event, failedCallAttributes(event), event.error.message);
        break;
      case 'tool.called':
        this.#arguments.set(`${event.address} ${event.callId}`, event.arguments);
        break;
      case 'tool.completed': {
        const key = `${event.address} ${event.callId}`;
        const given = this.#arguments.get(key);
        this.#arguments.delete(key);
        const error = event.isError ? event.result : undefined;
        this.#end('execute_tool', event, toolAttributes(event, given), error);
        break;
      }
      case 'history.compacted':
        this.#end('compact', event, { 'lait.compaction.removed_messages': event.removed });
        break;
    }
  }

  /** Ends everything that is still open, e.g. when a run was cut off. */
  close(error?: string): void {
    const left = [...this.#open.keys()].reverse();
    for (const address of left) this.#finish(address, error);
    const run = this.#run;
    this.#run = undefined;
    if (run !== undefined) this.#report(run, this.#now(), error);
  }

  #begin(
    operation: SpanOperation,
    label: string,
    parent: OpenSpan | undefined,
    attributes: Attributes,
  ): OpenSpan {
    return { span_id: hexadecimal(8), parent, operation, label, start: this.#now(), attributes };
  }

  #finish(address: string, error?: string, attributes: Attributes = {}): void {
    const span = this.#open.get(address);
    if (span === undefined) return;
    this.#open.delete(address);
    this.#report({ ...span, attributes: { ...span.attributes, ...attributes } }, this.#now(), error);
  }

  /** A span that is reported when it is over. */
  #end(
    operation: SpanOperation,
    event: { address: string; label: string; startedAt: number; endedAt: number },
    attributes: Attributes,
    error?: string,
  ): void {
    const { address, label, startedAt, endedAt } = event;
    const parent = this.#around(address);
    const place = { 'lait.run.id': this.#run?.attributes['lait.run.id'] ?? null, 'lait.address': address };
    const span = this.#begin(operation, label, parent, { ...attributes, ...place });
    this.#report({ ...span, start: startedAt }, endedAt, error);
  }

  #report(span: OpenSpan, end: number, error: string | undefined): void {
    const ancestors: OpenSpan[] = [];
    for (let around = span.parent; around !== undefined; around = around.parent) ancestors.unshift(around);
    const { mask } = this.#options;
    this.#options.onSpan(
      {
        trace_id: this.traceId,
        span_id: span.span_id,
        parent_span_id: span.parent?.span_id ?? null,
        operation: span.operation,
        label: span.label,
        start: span.start,
        end: Math.max(span.start, end),
        ...(error === undefined ? {} : { error: mask(error) }),
        attributes: mask(span.attributes),
      },
      ancestors,
    );
  }

  /** The innermost open span whose address leads to this one; the run when there is none. */
  #around(address: string, outside = false): OpenSpan | undefined {
    for (let at = outside ? shortened(address) : address; at !== ''; at = shortened(at)) {
      const span = this.#open.get(at);
      if (span !== undefined) return span;
    }
    return this.#run;
  }
}

/** An address without its last part: `steps[2]#0>steps[2].steps[0]@2` → `steps[2]#0>steps[2].steps[0]` → … */
function shortened(address: string): string {
  if (address.endsWith('>')) return address.slice(0, -1);
  const cut = Math.max(...['/', '@', '#', '~', '?', '.', '['].map((mark) => address.lastIndexOf(mark)));
  const frame = address.lastIndexOf('>');
  return frame > cut ? address.slice(0, frame + 1) : address.slice(0, Math.max(0, cut));
}

function hexadecimal(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
