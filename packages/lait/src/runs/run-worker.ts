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
import { changeRun } from './run-changes.js';
import { maskedChange, maskedEvent, type RunEnvironment, runLogOf } from './run-environment.js';
import { executeRun, type PassResult } from './run-execution.js';
import { RunLogWriter } from './run-log-writer.js';
import { isInterruption, outcomeOf, type RunOutcome } from './run-outcome.js';
import { purposeOf } from './run-questions.js';
import type { NewRunEvent, RunQuestion, RunRecord } from './run-record.js';
import { isTerminal, type RunStatus } from './run-status.js';
import type { RunLease } from './run-store.js';
import { leaseLost } from './stores/stored-record.js';

/** What a cancel that came meanwhile leaves of a pass's end. Source: graph facts §1.10. */
const keptUnderCancel: readonly RunStatus[] = ['failed', 'interrupted', 'waiting_attention'];

/**
 * Works on a claimed run until it has ended or waits, and stores how it stands then. Another process that asks for a
 * cancel is noticed. Source: graph facts §7.1.
 */
export async function workOnRun(
  claimed: RunRecord,
  abort: AbortController,
  environment: RunEnvironment,
  lease?: RunLease,
): Promise<RunRecord> {
  const { store, pollMs = 500 } = environment;
  const looking = setInterval(() => {
    store.read(claimed.run_id).then(
      (record) => {
        if (record?.status === 'cancelling') abort.abort(new CancelledError());
      },
      () => {},
    );
  }, pollMs).unref();
  try {
    let plan: Plan;
    try {
      plan = await environment.load(claimed);
    } catch (error) {
      // What cannot even be loaded fails the run instead of leaving it behind as running.
      const outcome = { status: 'failed', error_summary: messageChain(error) } as const;
      return await endPass(claimed, outcome, [], environment);
    }
    return await passOver(claimed, plan, abort, environment, lease);
  } catch (error) {
    if (isLeaseLost(error) || isLeaseLost(abort.signal.reason)) throw error;
    // The run is as good as before, but its store was not: it goes on when somebody resumes it.
    const outcome = { status: 'interrupted', error_summary: messageChain(recordingFailed(error)) } as const;
    return await endPass(claimed, outcome, [], environment);
  } finally {
    clearInterval(looking);
  }
}

async function passOver(
  claimed: RunRecord,
  plan: Plan,
  abort: AbortController,
  environment: RunEnvironment,
  lease: RunLease | undefined,
): Promise<RunRecord> {
  const { store, services, onEvent, furtherEntries } = environment;
  const { run_id: runId } = claimed;
  const log = runLogOf(claimed, plan, environment);
  const writer = new RunLogWriter(store, runId, (event) => maskedEvent(event, environment));
  const entry = plan.body.nodes[plan.body.entry ?? 0]?.id ?? null;
  writer.add([{ event_type: 'run_started', payload: { entry_node_id: entry } }]);
  const { signal } = abort;
  const execute = (until: AbortController) => {
    const further = furtherEntries?.(claimed, plan);
    return executeRun({
      store,
      plan,
      services: services(claimed.definition),
      record: claimed,
      lease,
      signal: until.signal,
      onRecordingFailure: (error) => until.abort(recordingFailed(error)),
      onEvent: (event) => {
        writer.add(log.entriesOf(event));
        if (further !== undefined) writer.add(further(event));
      },
      onNews: (event) => onEvent?.(runId, event),
    });
  };
  let result: PassResult = await execute(abort);
  if (isLeaseLost(signal.reason)) throw signal.reason;
  // One more pass takes everything from the record and stops at the call that must be judged.
  if (result.status === 'uncertain' && !isInterruption(signal)) result = await execute(new AbortController());
  const open = result.status === 'parked' ? result.questions : [];
  const questions = open.map((question) => runQuestion(question, log));
  for (const { address, question } of questions) writer.add(log.asked(address, question));
  await writer.flush();
  return endPass(claimed, outcomeOf(result, questions, signal), questions, environment, plan);
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

/** Stores how a pass ended; a cancel that came meanwhile decides what that means. */
async function endPass(
  claimed: RunRecord,
  outcome: RunOutcome,
  questions: readonly RunQuestion[],
  environment: RunEnvironment,
  plan?: Plan,
): Promise<RunRecord> {
  const change = maskedChange({ ...outcome, questions }, environment);
  faultPoint('run.before-ended');
  const decide = (record: RunRecord) => {
    // Whoever has taken the run over meanwhile decides how it ends.
    if (record.worker_instance_id !== claimed.worker_instance_id) throw leaseLost(record.run_id);
    if (record.status !== 'cancelling' || keptUnderCancel.includes(outcome.status)) return { change };
    return { change: { ...change, status: 'cancelled', questions: [] } } as const;
  };
  const ended = await changeRun(environment.store, claimed.run_id, decide, claimed);
  faultPoint('run.after-ended');
  if (isTerminal(ended!.status)) await closeRun(ended!, environment, plan);
  return ended!;
}

/** The rows of nodes when a run has ended: what was under way is cancelled, what was never visited is skipped. Facts §1.7. */
export async function closeRun(record: RunRecord, environment: RunEnvironment, loaded?: Plan): Promise<void> {
  const { store, kinds, load } = environment;
  if (!dialectOf(record.definition.form).logsNodes) return;
  const plan = loaded ?? (await load(record).catch(() => undefined));
  const rows = nodeRows(await store.events(record.run_id));
  const events: NewRunEvent[] = [];
  for (const { node_id, activation_id, attempt, status } of rows) {
    if (!['running', 'waiting_hitl', 'needs_attention'].includes(status)) continue;
    const payload = { node_id, activation_id, child_kind: null, child_run_id: null };
    events.push({ event_type: 'node_cancelled', payload, key: `ended ${activation_id} ${attempt}` });
  }
  const visited = new Set(rows.map(({ node_id }) => node_id));
  for (const { node } of plan === undefined ? [] : nodesOf(plan, kinds)) {
    if (node.id === undefined || visited.has(node.id)) continue;
    events.push({ event_type: 'node_skipped', payload: { node_id: node.id }, key: `skipped ${node.id}` });
  }
  await store.append(record.run_id, events);
}
