import { randomUUID } from 'node:crypto';
import { dialectOf } from '../dialects/index.js';
import { faultPoint } from '../engine/fault-point.js';
import type { Services } from '../kinds/services.js';
import type { Plan } from '../plan/plan.js';
import type { SpendingLimits } from '../plan/spending-limits.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import { nodeName } from './node-places.js';
import { pinSources } from './pin-sources.js';
import { nodesOf } from './plan-nodes.js';
import type { RunOrigin } from './rerun.js';
import { callOf, contextOf, type RunCourse } from './run-call.js';
import { maskedEvent, type RunEnvironment } from './run-environment.js';
import type { NewRunEvent, RunDefinition, RunRecord } from './run-record.js';
import type { RunStatus } from './run-status.js';

export interface CreateRunOptions {
  value?: Value;
  inputs?: JsonValue;
  /** The frozen "now" of date expressions, as an ISO 8601 time. Default: the time of creation. */
  referenceTime?: string;
  /** The dynamic form's shared state at the start. */
  state?: JsonObject;
  /** The dynamic form's values that travel along. */
  requestContext?: JsonObject;
  /** Begins without a person's consent; the log says so. Default false. */
  skipApproval?: boolean;
  /** What it may spend, item by item instead of what workflow and configuration say. Default: those of the services. */
  limits?: SpendingLimits;
  /** Higher ones are begun first. Default 0. */
  priority?: number;
  /** Where it begins and pauses, in the dynamic form. Default: from its beginning to its end. */
  course?: RunCourse;
  /** Further entries for the beginning of the log, e.g. which schedule started the run. */
  events?: readonly NewRunEvent[];
  /** Default: a new random id. */
  runId?: string;
}

/**
 * Stores a new run: `queued`, or `waiting_approval` when a step of its plan needs a person's consent. Throws a
 * `UsageError` (code `inputs_invalid`) when the inputs do not fit. Source: graph facts §7.6.
 */
export async function createRun(
  plan: Plan,
  options: CreateRunOptions,
  environment: RunEnvironment,
  origin?: RunOrigin,
): Promise<RunRecord> {
  const { value, inputs = {}, skipApproval = false } = options;
  const now = new Date().toISOString();
  const { timeZone } = environment;
  const { readsTime } = dialectOf(plan.form);
  const zone: JsonObject = readsTime && timeZone !== undefined ? { time_zone: timeZone } : {};
  // Refuses what does not fit before anything is stored.
  const { state, requestContext, course } = options;
  const times = { ...zone, reference_time: options.referenceTime ?? now };
  const unpinned: RunDefinition = {
    form: plan.form,
    id: plan.id,
    origin: plan.origin,
    ...(plan.directory !== undefined && { directory: plan.directory }),
    sources: plan.sources,
  };
  const services = environment.services(unpinned);
  const limits = { ...options.limits, ...services.limits?.given };
  const spending = Object.keys(limits).length === 0 ? {} : { limits };
  const context = contextOf(plan.form, { times, state, requestContext, course, ...spending });
  const { context: accepted } = plan.accept(callOf({ value, inputs, context }));
  const definition = { ...unpinned, sources: await pinSources(plan, services, environment.kinds) };
  const consents = consentsOf(plan, services, environment);
  const needed = consents.length > 0;
  const status: RunStatus = needed && !skipApproval ? 'waiting_approval' : 'queued';
  const record: RunRecord = {
    run_id: options.runId ?? `wrun_${randomUUID().replaceAll('-', '')}`,
    definition,
    status,
    revision: 1,
    ...(value !== undefined && { value }),
    inputs,
    context: { ...context, ...(readsTime && { reference_time: accepted.reference_time ?? now }) },
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(origin !== undefined && { source_run_id: origin.runId }),
    questions: [],
    answers: origin?.answers ?? {},
    created_at: now,
    updated_at: now,
  };
  const events: NewRunEvent[] = [
    {
      event_type: 'run_created',
      payload: { status, workflow: plan.id, ...(needed && { needs_approval: consents }) },
    },
    { event_type: 'run_input_submitted', payload: { inputs } },
  ];
  if (origin !== undefined) {
    const payload: JsonObject = { source_run_id: origin.runId };
    if (origin.from !== undefined) payload.from = origin.from;
    events.push({ event_type: 'run_rerun_created', payload });
  }
  if (needed && skipApproval) {
    events.push({ event_type: 'run_approval_skipped', payload: { reason: 'the caller asked for it' } });
  }
  events.push(...(options.events ?? []));
  const masked = events.map((event) => maskedEvent(event, environment));
  faultPoint('run.before-created');
  await environment.store.create(record, masked, origin?.entries);
  faultPoint('run.after-created');
  return record;
}

/** The nodes that need a person's consent. */
function consentsOf(plan: Plan, services: Services, { kinds }: RunEnvironment): string[] {
  const names: string[] = [];
  for (const { node, kind } of nodesOf(plan, kinds)) {
    if (kind?.needsApproval?.(node.fields, services) === true) names.push(nodeName(plan, node) ?? node.path);
  }
  return names;
}
