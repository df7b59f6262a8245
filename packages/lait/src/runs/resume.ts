import type { Snapshot } from '../engine/runtime.js';
import { UsageError } from '../errors/errors.js';
import { LaitError } from '../errors/lait-error.js';
import type { Kinds } from '../kinds/kind.js';
import { allNodes } from '../plan/all-nodes.js';
import type { Plan, PlanNode, PlanStart } from '../plan/plan.js';
import { didYouMean } from '../plan/suggest.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty, type Value } from '../values/value.js';
import type { Checkpoint } from './checkpoint.js';

/** The top-level steps of a plan as records name them: the id, or `step-<position>`. Source: steps facts §15. */
function topLevelLabels(plan: Plan): string[] {
  return plan.body.nodes.map(({ id }, index) => id ?? `step-${index + 1}`);
}

/** Throws a `UsageError` (code `checkpoint_form`) for a plan without a list of top-level steps. */
export function requireStepList(plan: Plan): void {
  if (plan.body.edges === undefined) return;
  throw new UsageError({
    code: 'checkpoint_form',
    message: `checkpoints go from one top-level step to the next, and the ${plan.form} form has none: its runs are recorded by themselves, and \`lait runs\` continues them at any node`,
  });
}

/** The record of a run that has not begun. */
export function newCheckpoint(runId: string, workflowPath: string, plan: Plan, start: PlanStart): Checkpoint {
  const now = new Date().toISOString();
  return {
    run_id: runId,
    workflow_path: workflowPath,
    initial_input: start.value ?? null,
    inputs: start.inputs ?? null,
    top_level_labels: topLevelLabels(plan),
    completed_index: null,
    counter: 0,
    current_value: start.value,
    steps_outputs: {},
    passed_values: [],
    state: start.state,
    status: 'failed',
    started_at: now,
    updated_at: now,
  };
}

/** The position from which the engine goes on. */
export function snapshotOf(checkpoint: Checkpoint): Snapshot {
  const { completed_index: index, current_value: value, steps_outputs: steps } = checkpoint;
  const { inputs, state, counter } = checkpoint;
  return { completedIndex: index ?? -1, value, steps, inputs, state, counter };
}

/**
 * Checks that a run can be continued by this plan, and gives back its record brought up to date, with the inputs that
 * it goes on with (`given`, else the recorded ones). Throws a `UsageError` (code `run_completed`), a `LaitError`:
 * `workflow_differs` (another file), `workflow_changed` (finished steps are not those of the record), or what
 * `Plan.accept` throws. Source: steps seed, 実行の再開.
 */
export function continued(
  checkpoint: Checkpoint,
  plan: Plan,
  workflowPath: string,
  given: JsonObject | undefined,
  onWarning: (message: string) => void,
): Checkpoint {
  const { run_id: runId } = checkpoint;
  requireSameFile(checkpoint, workflowPath);
  if (checkpoint.status === 'completed') {
    throw new UsageError({
      code: 'run_completed',
      message: `run '${runId}' has completed and cannot be resumed; nothing was run. \`lait runs show ${runId}\` shows its result; --from STEP with --resume ${runId} runs a part of it again`,
    });
  }
  const finished = (checkpoint.completed_index ?? -1) + 1;
  requireSameSteps(checkpoint, plan, finished);
  const labels = topLevelLabels(plan);
  if (
    labels.length !== checkpoint.top_level_labels.length ||
    differsFrom(labels, checkpoint, labels.length)
  ) {
    onWarning(`the steps behind the last finished one have changed since run '${runId}' was recorded`);
  }
  return { ...checkpoint, top_level_labels: labels, inputs: inputsFor(checkpoint, plan, given) };
}

/**
 * The record of a new run that begins at a step of a recorded one, with the values recorded before it. `from` is the
 * label of a top-level step, or `start`. Throws a `UsageError`: `step_unknown`, `step_not_reached`; else as
 * `continued`. Source: field report FR-43.
 */
export function startedFrom(
  checkpoint: Checkpoint,
  from: string,
  plan: Plan,
  workflowPath: string,
  given: JsonObject | undefined,
  options: { runId: string; kinds: Kinds },
): Checkpoint {
  requireSameFile(checkpoint, workflowPath);
  const labels = topLevelLabels(plan);
  const index = labels.includes(from) ? labels.indexOf(from) : from === 'start' ? 0 : -1;
  if (index < 0) {
    const hint = didYouMean(from, labels) ?? `they are: ${labels.join(', ')}`;
    throw new UsageError({
      code: 'step_unknown',
      message: `--from: '${from}' is no top-level step of ${workflowPath}; ${hint}`,
    });
  }
  const finished = (checkpoint.completed_index ?? -1) + 1;
  if (index > finished) {
    const last =
      finished === 0 ? 'none of its steps' : `it only up to '${checkpoint.top_level_labels[finished - 1]}'`;
    throw new UsageError({
      code: 'step_not_reached',
      message: `--from: run '${checkpoint.run_id}' finished ${last}, so that nothing is recorded before '${from}'`,
    });
  }
  requireSameSteps(checkpoint, plan, index);
  const now = new Date().toISOString();
  const { failure: _failure, items: _items, conversation: _conversation, ...kept } = checkpoint;
  return {
    ...kept,
    run_id: options.runId,
    top_level_labels: labels,
    completed_index: index === 0 ? null : index - 1,
    counter: index,
    current_value: valueBefore(checkpoint, index),
    steps_outputs: stepsBefore(checkpoint, plan, index, options.kinds),
    passed_values: checkpoint.passed_values.slice(0, Math.max(0, index - 1)),
    inputs: inputsFor(checkpoint, plan, given),
    status: 'failed',
    parent: { run_id: checkpoint.run_id, from },
    started_at: now,
    updated_at: now,
  };
}

function requireSameFile({ run_id: runId, workflow_path: recorded }: Checkpoint, workflowPath: string): void {
  if (recorded === workflowPath) return;
  throw new LaitError({
    code: 'workflow_differs',
    message: `run '${runId}' was recorded for ${recorded}, not for ${workflowPath}; name the same file`,
  });
}

function requireSameSteps(checkpoint: Checkpoint, plan: Plan, count: number): void {
  const labels = topLevelLabels(plan);
  if (!differsFrom(labels, checkpoint, count)) return;
  const recorded = checkpoint.top_level_labels.slice(0, count);
  throw new LaitError({
    code: 'workflow_changed',
    message: `run '${checkpoint.run_id}' cannot go on: its finished steps were ${recorded.join(', ')}, and the file now begins with ${labels.slice(0, count).join(', ')}; put them back, or start a new run`,
  });
}

function differsFrom(labels: readonly string[], { top_level_labels }: Checkpoint, count: number): boolean {
  for (let index = 0; index < count; index += 1) if (labels[index] !== top_level_labels[index]) return true;
  return false;
}

function inputsFor(checkpoint: Checkpoint, plan: Plan, given: JsonObject | undefined): JsonValue {
  const recorded = isObject(checkpoint.inputs) ? checkpoint.inputs : undefined;
  return plan.accept({ value: checkpoint.initial_input, inputs: given ?? recorded }).inputs ?? null;
}

/** The value that went into a top-level step. */
function valueBefore(checkpoint: Checkpoint, index: number): Value {
  const { completed_index: completed, passed_values: passed, steps_outputs: steps } = checkpoint;
  if (completed !== null && index === completed + 1) return checkpoint.current_value;
  for (let before = index - 1; before >= 0; before -= 1) {
    const value = passed[before];
    if (value === undefined) {
      throw new LaitError({
        code: 'value_not_recorded',
        message: `run '${checkpoint.run_id}' has no record of the value after '${checkpoint.top_level_labels[before]}'; begin at another step`,
      });
    }
    if ('step' in value) return steps[value.step] ?? null;
    if ('value' in value) return value.value;
  }
  return checkpoint.initial_input;
}

/** What was recorded before a step: everything but what this step and those behind it record. */
function stepsBefore(
  { steps_outputs: steps }: Checkpoint,
  plan: Plan,
  index: number,
  kinds: Kinds,
): JsonObject {
  const later = new Set(
    plan.body.nodes
      .slice(index)
      .flatMap((node: PlanNode) => [...allNodes([node], kinds)])
      .map(({ id }) => id),
  );
  const before: JsonObject = {};
  for (const [id, value] of Object.entries(steps)) if (!later.has(id)) setOwnProperty(before, id, value);
  return before;
}
