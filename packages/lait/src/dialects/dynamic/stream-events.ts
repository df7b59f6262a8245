import { randomUUID } from 'node:crypto';
import type { RunEvent } from '../../engine/events.js';
import type { Plan, PlanNode } from '../../plan/plan.js';
import type { JsonValue, Value } from '../../values/value.js';
import { CallPaths } from './call-paths.js';
import { foreachBodyId, serializedError } from './step-records.js';

/** What a stream of a run is made of. Source: dynamic facts §6.2. */
export interface StreamEvent {
  type:
    | 'workflow-start'
    | 'workflow-step-start'
    | 'workflow-step-result'
    | 'workflow-step-progress'
    | 'workflow-step-waiting'
    | 'workflow-step-suspended'
    | 'workflow-step-output'
    | 'workflow-finish';
  runId: string;
  from: 'WORKFLOW' | 'USER';
  payload: { readonly [name: string]: unknown };
}

type StepEvent = Extract<RunEvent, { path: string }>;

/** Turns the engine's events of one run into the stream of the dynamic form. */
export class StreamEvents {
  readonly #started = new Map<string, { readonly [name: string]: unknown }>();
  readonly #iterations = new Map<string, number>();
  readonly #foreach = new Map<string, { completed: number; total: number; body: string }>();
  readonly #paths = new CallPaths();
  readonly #names = new Map<string, string>();
  readonly #usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  readonly #containers: ReadonlyMap<string, PlanNode>;
  #now = Date.now();

  constructor(
    private readonly plan: Plan,
    private readonly runId: string,
    private readonly send: (event: StreamEvent) => void,
  ) {
    this.#containers = containersOf(plan);
  }

  /** `at`: when it happened, in milliseconds since 1970. Default: now. */
  add(event: RunEvent, at: number = Date.now()): void {
    this.#now = at;
    this.#paths.add(event);
    switch (event.type) {
      case 'run.started':
        this.#emit('workflow-start', { workflowId: this.plan.id });
        return;
      case 'run.completed':
        this.#finish('success', { finalWorkflowResult: event.value });
        return;
      case 'run.failed':
        this.#finish('failed', {});
        return;
      case 'run.parked':
        this.#finish('suspended', {});
        return;
      case 'run.cancelled':
        this.#finish('canceled', {});
        return;
      case 'model.token':
        if (event.reasoning !== true) this.#output(event.address, event.text);
        return;
      case 'model.responded':
        if (event.usage !== null) {
          const input =
            event.usage.inputTokens + event.usage.cachedInputTokens + event.usage.cacheWriteTokens;
          this.#usage.inputTokens += input;
          this.#usage.outputTokens += event.usage.outputTokens;
          this.#usage.totalTokens += input + event.usage.outputTokens;
        }
        return;
      default:
        if ('path' in event) this.#step(event);
    }
  }

  /** The run stopped behind a step, to go on when somebody says so. */
  pause(at: number): void {
    this.#now = at;
    this.#finish('paused', {});
  }

  /** The run was refused before it started. */
  refuse(message: string): void {
    this.#emit('workflow-start', { workflowId: this.plan.id });
    this.#emit('workflow-finish', {
      workflowStatus: 'failed',
      metadata: { error: message, errorMessage: message },
      output: { usage: { ...this.#usage } },
    });
  }

  #step(event: StepEvent): void {
    const container = event.depth === 0 ? this.#containers.get(event.path) : undefined;
    if (event.id === undefined && container?.kind !== 'foreach') {
      if (event.type === 'iteration.started') this.#iterations.set(event.path, event.index + 1);
      return;
    }
    if (container?.kind === 'foreach') this.#foreachStep(event, foreachBodyId(container)!);
    else if (!this.#isForeachBody(event)) this.#ownStep(event);
    else if (event.type === 'question.asked') this.#suspended(event, this.#nameOf(event));
  }

  #ownStep(event: StepEvent): void {
    const name = this.#nameOf(event);
    switch (event.type) {
      case 'step.started': {
        const iteration = this.#iterations.get(event.path.replace(/\.step$/, ''));
        this.#start(event.address, name, event.input, {
          stepCallId: randomUUID(),
          ...(iteration === undefined ? {} : { metadata: { iterationCount: iteration } }),
        });
        return;
      }
      case 'sleep.started': {
        const { payload, startedAt } = this.#started.get(event.address) ?? {};
        this.#emit('workflow-step-waiting', {
          stepName: name,
          id: name,
          payload,
          startedAt,
          status: 'waiting',
        });
        return;
      }
      case 'step.completed':
        this.#result(event.address, { status: 'success', output: event.value });
        return;
      case 'step.failed':
        this.#result(event.address, { status: 'failed', error: serializedError(event.error) });
        return;
      case 'question.asked':
        this.#suspended(event, name);
        return;
      default:
    }
  }

  #foreachStep(event: StepEvent, body: string): void {
    switch (event.type) {
      case 'step.started': {
        const { input } = event;
        const total = Array.isArray(input) || typeof input === 'string' ? input.length : 0;
        this.#foreach.set(event.address, { completed: 0, total, body });
        this.#start(event.address, body, input, {});
        return;
      }
      case 'iteration.completed':
        this.#progress(event.address, event.index, event.value, 'success', event.count);
        return;
      case 'step.completed':
        this.#emit('workflow-step-result', {
          stepName: body,
          id: body,
          status: 'success',
          output: event.value,
          endedAt: this.#now,
        });
        return;
      case 'step.failed': {
        const error = serializedError(event.error);
        this.#emit('workflow-step-result', {
          stepName: body,
          id: body,
          status: 'failed',
          error,
          endedAt: this.#now,
        });
        return;
      }
      default:
    }
  }

  #progress(address: string, index: number, output: Value, status: string, count: number | undefined): void {
    const state = this.#foreach.get(address);
    if (state === undefined) return;
    state.completed += 1;
    this.#emit('workflow-step-progress', {
      stepName: state.body,
      id: state.body,
      completedCount: state.completed,
      totalCount: count ?? state.total,
      currentIndex: index,
      iterationStatus: status,
      iterationOutput: output,
    });
  }

  #start(address: string, name: string, payload: Value, extra: { readonly [name: string]: unknown }): void {
    const fields = { stepName: name, id: name, payload, startedAt: this.#now, status: 'running', ...extra };
    this.#started.set(address, fields);
    this.#names.set(address, name);
    this.#emit('workflow-step-start', fields);
  }

  #result(address: string, ended: { readonly [name: string]: unknown }): void {
    this.#emit('workflow-step-result', { ...this.#started.get(address), ...ended, endedAt: this.#now });
    this.#started.delete(address);
  }

  #suspended(event: Extract<StepEvent, { type: 'question.asked' }>, name: string): void {
    const { payload, text } = event.question;
    const suspendPayload: JsonValue = payload ?? { question: text };
    this.#emit('workflow-step-suspended', {
      stepName: name,
      id: name,
      status: 'suspended',
      suspendPayload,
      suspendedAt: this.#now,
    });
  }

  #output(address: string, text: string): void {
    const stepName = this.#names.get(address) ?? address;
    const output = { type: 'text-delta', payload: { text } };
    this.send({
      type: 'workflow-step-output',
      runId: this.runId,
      from: 'USER',
      payload: { stepName, output, runId: this.runId },
    });
  }

  /** `call.step` for a step of a nested workflow. */
  #nameOf(event: StepEvent): string {
    return [...this.#paths.callsAround(event.address), event.id ?? event.label].join('.');
  }

  #isForeachBody(event: StepEvent): boolean {
    if (event.depth > 0) return false;
    return this.#containers.get(event.path.replace(/\.step$/, ''))?.kind === 'foreach';
  }

  #finish(workflowStatus: string, extra: { readonly [name: string]: unknown }): void {
    this.#emit('workflow-finish', {
      workflowStatus,
      metadata: {},
      output: { usage: { ...this.#usage } },
      ...extra,
    });
  }

  #emit(type: StreamEvent['type'], payload: { readonly [name: string]: unknown }): void {
    this.send({ type, runId: this.runId, from: 'WORKFLOW', payload });
  }
}

function containersOf(plan: Plan): ReadonlyMap<string, PlanNode> {
  return new Map(plan.body.nodes.filter(({ id }) => id === undefined).map((node) => [node.path, node]));
}
