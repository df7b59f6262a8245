import { dialectOf } from '../dialects/index.js';
import { faultPoint } from '../engine/fault-point.js';
import type { OpenQuestion } from '../engine/runtimes/memory.js';
import { CancelledError } from '../errors/errors.js';
import { messageChain } from '../errors/lait-error.js';
import type { Plan } from '../plan/plan.js';
import { type GraphRunLog, hitlRunId } from './graph-run-log.js';
import { nodeRows } from './node-rows.js';
import { isLeaseLost, recordingFailed } from './pass-interruption.js';
import { nodesOf } from './plan-nodes.js';
import { limitsOf, withinLimits } from './run-call.js';
import { changeRun, type Decision } from './run-changes.js';
import { maskedChange, maskedEvent, type RunEnvironment, runLogOf } from './run-environment.js';
import { executeRun, type PassResult } from './run-execution.js';
import { RunLogWriter } from './run-log-writer.js';
import { isInterruption, outcomeOf, type RunOutcome } from './run-outcome.js';
import { purposeOf } from './run-questions.js';
import type { NewRunEvent, RunQuestion, RunRecord } from './run-record.js';
import { isTerminal, type RunStatus } from './run-status.js';
import type { RunClaim } from './run-store.js';

/** What a cancel that came meanwhile leaves of a pass's end. Source: graph facts §1.10. */
const keptUnderCancel: readonly RunStatus[] = ['failed', 'interrupted', 'waiting_attention'];

/**
 * Works on a claimed run until it has ended or waits, and stores how it stands then. Another process that asks for a
 * cancel is noticed. Source: graph facts §7.1.
 */
export async function workOnRun(
  claim: RunClaim,
  abort: AbortController,
  environment: RunEnvironment,
): Promise<RunRecord> {
  const { store, load, pollMs = 500 } = environment;
  const { record, lease } = claim;
  const looking = setInterval(() => {
    store.read(record.run_id).then(
      (found) => {
        if (found?.status === 'cancelling') abort.abort(new CancelledError());
      },
      () => {},
    );
  }, pollMs).unref();
  let log: RunLogWriter | undefined;
  try {
    let plan: Plan;
    try {
      plan = await load(record);
    } catch (error) {
      // What cannot even be loaded fails the run instead of leaving it behind as running.
      const outcome = { status: 'failed', error_summary: messageChain(error) } as const;
      return await endPass(claim, { outcome }, environment);
    }
    log = new RunLogWriter(await store.journal(record.run_id, lease), (event) =>
      maskedEvent(event, environment),
    );
    return await passOver(claim, plan, abort, environment, log);
  } catch (error) {
    if (isLeaseLost(error) || isLeaseLost(abort.signal.reason)) throw error;
    // The run is as good as before, but its store was not: it goes on when somebody resumes it.
    const outcome = { status: 'interrupted', error_summary: messageChain(recordingFailed(error)) } as const;
    return await endPass(claim, { outcome, events: await log?.finish() }, environment);
  } finally {
    clearInterval(looking);
  }
}

async function passOver(
  claim: RunClaim,
  plan: Plan,
  abort: AbortController,
  environment: RunEnvironment,
  writer: RunLogWriter,
): Promise<RunRecord> {
  const { services, onEvent, furtherEntries } = environment;
  const { record } = claim;
  const log = runLogOf(record, plan, environment);
  const entry = plan.body.nodes[plan.body.entry ?? 0]?.id ?? null;
  writer.log([{ event_type: 'run_started', payload: { entry_node_id: entry } }]);
  const { signal } = abort;
  const execute = (until: AbortController) => {
    const further = furtherEntries?.(record, plan);
    return executeRun({
      journal: writer,
      plan,
      services: withinLimits(services(record.definition), limitsOf(record)),
      record,
      signal: until.signal,
      onRecordingFailure: (error) => until.abort(recordingFailed(error)),
      onEvent: (event) => {
        writer.log(log.entriesOf(event));
        if (further !== undefined) writer.log(further(event));
      },
      onNews: (event) => onEvent?.(record.run_id, event, log.places),
    });
  };
  let result: PassResult = await execute(abort);
  if (isLeaseLost(signal.reason)) throw signal.reason;
  // One more pass takes everything from the record and stops at the call that must be judged.
  if (result.status === 'uncertain' && !isInterruption(signal)) result = await execute(new AbortController());
  const open = result.status === 'parked' ? result.questions : [];
  const questions = open.map((question) => runQuestion(question, log));
  for (const { address, question } of questions) writer.log(log.asked(address, question));
  const outcome = outcomeOf(result, questions, signal);
  return endPass(claim, { outcome, questions, events: await writer.finish(), plan }, environment);
}

function runQuestion({ address, question }: OpenQuestion, log: GraphRunLog): RunQuestion {
  const place = log.places.at(address);
  return {
    address,
    question,
    ...(place !== undefined && { node_id: place.node_id, activation_id: place.activation_id }),
    ...(purposeOf(question) === 'hitl' && { hitl_run_id: hitlRunId(log.places.runId, address) }),
  };
}

interface PassEnd {
  outcome: RunOutcome;
  questions?: readonly RunQuestion[];
  /** What the log does not say yet. */
  events?: readonly NewRunEvent[];
  plan?: Plan;
}

/** Stores how a pass ended; a cancel that came meanwhile decides what that means. */
async function endPass(
  { record: claimed, lease }: RunClaim,
  { outcome, questions = [], events = [], plan }: PassEnd,
  environment: RunEnvironment,
): Promise<RunRecord> {
  const change = maskedChange({ ...outcome, questions }, environment);
  faultPoint('run.before-ended');
  const decide = async (record: RunRecord): Promise<Decision> => {
    const cancelled = record.status === 'cancelling' && !keptUnderCancel.includes(outcome.status);
    const end = cancelled ? ({ ...change, status: 'cancelled', questions: [] } as const) : change;
    return {
      change: end,
      events,
      closing: await closingEntries(record, end.status, environment, { events, plan }),
    };
  };
  const known = claimed;
  const ended = await changeRun(environment.store, claimed.run_id, decide, { known, lease });
  faultPoint('run.after-ended');
  return ended!;
}

/**
 * The end of the log of a run that ends so, by nodes: what was under way is cancelled, and where the form has rows for
 * nodes, what was never visited is skipped. `events` are those that are not stored yet. Source: graph facts §1.7.
 */
export async function closingEntries(
  record: RunRecord,
  status: RunStatus,
  { store, kinds, load }: RunEnvironment,
  { events = [], plan: loaded }: { events?: readonly NewRunEvent[]; plan?: Plan } = {},
): Promise<NewRunEvent[]> {
  if (!isTerminal(status)) return [];
  const { logsNodes } = dialectOf(record.definition.form);
  // Nothing is under way behind a completed run: its log need not be read.
  if (logsNodes === undefined && status === 'completed') return [];
  const stored = await store.events(record.run_id);
  const known = new Set(stored.map(({ key }) => key));
  const rows = nodeRows([...stored, ...events.filter(({ key }) => key === undefined || !known.has(key))]);
  const entries: NewRunEvent[] = [];
  for (const { node_id, activation_id, attempt, status } of rows) {
    if (!['running', 'waiting_hitl', 'needs_attention'].includes(status)) continue;
    const payload = { node_id, activation_id, child_kind: null, child_run_id: null };
    entries.push({ event_type: 'node_cancelled', payload, key: `ended ${activation_id} ${attempt}` });
  }
  if (logsNodes === undefined) return entries;
  const plan = loaded ?? (await load(record).catch(() => undefined));
  const visited = new Set(rows.map(({ node_id }) => node_id));
  for (const { node } of plan === undefined ? [] : nodesOf(plan, kinds)) {
    if (node.id === undefined || visited.has(node.id)) continue;
    entries.push({ event_type: 'node_skipped', payload: { node_id: node.id }, key: `skipped ${node.id}` });
  }
  return entries;
}
