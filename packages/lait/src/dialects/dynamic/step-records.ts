import type { FailureRecord, RunEvent } from '../../engine/events.js';
import type { Plan, PlanNode } from '../../plan/plan.js';
import { jsonEqual } from '../../values/json-equal.js';
import { isObject, type JsonValue, setOwnProperty, type Value } from '../../values/value.js';
import type { CallPaths } from './call-paths.js';

export type StepStatus = 'running' | 'success' | 'failed' | 'suspended' | 'waiting' | 'canceled';

/** How an error looks in results: plain data. */
export interface SerializedError {
  message: string;
  name: string;
  code?: string;
}

/** What happened to one step. Times in milliseconds since 1970. Source: dynamic facts §6.1. */
export interface StepRecord {
  status: StepStatus;
  /** What came into the step; left out when it is the output of the step before. */
  payload?: Value;
  startedAt?: number;
  endedAt?: number;
  output?: Value;
  error?: SerializedError;
  suspendPayload?: JsonValue;
  suspendedAt?: number;
  resumePayload?: JsonValue;
  resumedAt?: number;
  metadata?: { iterationCount: number };
}

/** The steps of a run by id; `input` holds the workflow's input. */
export type StepRecords = { input?: Value } & { [id: string]: StepRecord | Value };

type StepEvent = Extract<RunEvent, { path: string }>;

/** What the events of a container or its body mean. Any other step is recorded under its id. */
interface Place {
  /** The id to record under, when it is not the event's own: a foreach is recorded under its body's. */
  id?: string;
  silent?: boolean;
  iterates?: boolean;
  /** The loop that the step is the body of. */
  loop?: string;
}

const places = new WeakMap<Plan, ReadonlyMap<string, Place>>();

/** The same for all runs of a plan. */
function placesOf(plan: Plan): ReadonlyMap<string, Place> {
  let found = places.get(plan);
  if (found === undefined) {
    found = new Map(plan.body.nodes.flatMap(placesOfNode));
    places.set(plan, found);
  }
  return found;
}

function placesOfNode({ path, kind, fields }: PlanNode): [path: string, place: Place][] {
  const body = `${path}.step`;
  switch (kind) {
    case 'foreach':
      return [
        [path, { id: foreachBodyId({ kind, fields }) }],
        [body, { silent: true }],
      ];
    case 'repeat':
      return [
        [path, { iterates: true }],
        [body, { loop: path }],
      ];
    default:
      return [];
  }
}

/** Calls, mappings and sleeps directly in the graph: `graph.` and an index. Containers have no id. */
function isOnPath({ id, path }: StepEvent): boolean {
  return id !== undefined && !path.includes('.', 'graph.'.length);
}

/** Keeps the records of a run's steps from its events. Steps of nested workflows belong to the call. */
export class StepRecorder {
  readonly stepExecutionPath: string[] = [];
  #steps: StepRecords = {};
  #givenAway = false;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #iterations = new Map<string, number>();
  #previous: Value;

  constructor(
    private readonly plan: Plan,
    input: Value,
    private readonly paths: CallPaths,
  ) {
    if (input !== undefined) this.#steps.input = input;
    this.#previous = input;
    this.#places = placesOf(plan);
  }

  /** All records as one object, the workflow's input first. Steps that begin later are not added to it. */
  steps(): StepRecords {
    this.#givenAway = true;
    return this.#steps;
  }

  /** Takes over the records of steps that an earlier run has finished. */
  restore(steps: { readonly [id: string]: StepRecord }): void {
    const onPath = new Set(this.plan.body.nodes.map(({ id }) => id));
    for (const [id, record] of Object.entries(steps)) {
      setOwnProperty(this.#steps, id, record);
      if (!onPath.has(id)) continue;
      this.stepExecutionPath.push(id);
      this.#previous = record.output;
    }
  }

  /** `at`: when it happened, in milliseconds since 1970. Default: now. */
  add(event: RunEvent, at?: number): void {
    if (!('path' in event)) return;
    if (event.depth > 0) {
      // A question inside a nested workflow suspends the call.
      if (!event.type.startsWith('question.')) return;
      const [call] = this.paths.callsAround(event.address);
      if (call !== undefined) this.#apply(call, event, undefined, at ?? Date.now());
      return;
    }
    const place = this.#places.get(event.path);
    if (place?.iterates === true && event.type === 'iteration.started') {
      this.#iterations.set(event.path, event.index + 1);
    }
    // Elements of a foreach are not recorded one by one; what they ask suspends the whole.
    const id =
      place?.silent === true && event.type !== 'question.asked' ? undefined : (place?.id ?? event.id);
    if (id === undefined) return;
    this.#apply(id, event, place, at ?? Date.now());
  }

  /** A run that was canceled leaves the step it was at as it stood. */
  #apply(id: string, event: StepEvent, place: Place | undefined, now: number): void {
    switch (event.type) {
      case 'step.started':
        this.#start(id, event, place, now);
        return;
      case 'sleep.started':
        this.#update(id, { status: 'waiting' });
        return;
      case 'step.completed': {
        // Written out: an object of changes for each step costs more than the changes.
        const record = this.#record(id);
        if (record !== undefined) {
          record.status = 'success';
          record.output = event.value;
          record.endedAt = now;
        }
        if (isOnPath(event)) this.#previous = event.value;
        return;
      }
      case 'step.failed':
        // What a failing sibling ends while it waits is left as it stood, too.
        if (event.error.code === 'cancelled' && this.#record(id)?.status === 'suspended') return;
        this.#update(id, { status: 'failed', error: serializedError(event.error), endedAt: now });
        return;
      case 'question.asked': {
        const { payload, text } = event.question;
        this.#update(id, {
          status: 'suspended',
          suspendPayload: payload ?? { question: text },
          suspendedAt: now,
        });
        return;
      }
      case 'question.answered':
        this.#update(id, { status: 'running', resumePayload: event.answer, resumedAt: now });
        return;
      default:
    }
  }

  #start(
    id: string,
    event: Extract<StepEvent, { type: 'step.started' }>,
    place: Place | undefined,
    now: number,
  ): void {
    const payload = event.input;
    const isTop = isOnPath(event);
    if (isTop) this.stepExecutionPath.push(id);
    const repeated =
      isTop && (payload === this.#previous || jsonEqual(payload ?? null, this.#previous ?? null));
    const iteration = place?.loop === undefined ? undefined : this.#iterations.get(place.loop);
    const record: StepRecord =
      repeated || payload === undefined
        ? { status: 'running', startedAt: now }
        : { status: 'running', payload, startedAt: now };
    if (iteration !== undefined) record.metadata = { iterationCount: iteration };
    if (this.#givenAway) {
      this.#steps = { ...this.#steps };
      this.#givenAway = false;
    }
    setOwnProperty(this.#steps, id, record);
  }

  #record(id: string): StepRecord | undefined {
    return Object.hasOwn(this.#steps, id) ? (this.#steps[id] as StepRecord) : undefined;
  }

  #update(id: string, changes: Partial<StepRecord>): void {
    const record = this.#record(id);
    if (record !== undefined) Object.assign(record, changes);
  }
}

/** The id of a foreach's body, under which its results are recorded. */
export function foreachBodyId({ kind, fields }: Pick<PlanNode, 'kind' | 'fields'>): string | undefined {
  return kind === 'foreach' && isObject(fields) && typeof fields.id === 'string' ? fields.id : undefined;
}

/** The innermost reason, without the names of the steps that the failure passed. */
export function serializedError({ message, reason, code, details }: FailureRecord): SerializedError {
  const name = details?.name;
  return { message: reason ?? message, name: typeof name === 'string' ? name : 'Error', code };
}
