import { concurrentTraits } from '../kinds/block-traits.js';
import type { BranchOptions, BranchRequest } from '../kinds/kind.js';
import type { JsonObject, Value } from '../values/value.js';
import type { Execution, Interpreting } from './execution.js';
import { itemFailure, PlacedFailure } from './failure.js';
import { RecordedSteps } from './recorded-steps.js';
import type { Address, ForkBranch, SharedVariables } from './runtime.js';

/** Runs branches of a step and merges what they wrote, in declared order; see `StepContext.runBranches`. */
export async function runBranches(
  requests: readonly BranchRequest[],
  options: BranchOptions,
  step: Address,
  execution: Execution,
  interpreter: Interpreting,
): Promise<Value[]> {
  const { scope, environment, runtime, cancel, progress, plan, settings, callers, unit } = execution;
  const branches: ForkBranch[] = requests.map((request) => ({
    key: request.key,
    block: request.block,
    value: request.value,
    loop: request.loop === undefined ? scope.loop : request.loop,
    prefix: progress.prefix + (request.prefix ?? ''),
  }));
  const address = options.name === undefined ? step : `${step}/${options.name}`;
  const traits = concurrentTraits(requests, environment.kinds);
  const shared: SharedVariables = {
    plan,
    settings,
    depth: progress.depth,
    callers,
    // A branch of `parallel` inside items stays inside items: the stricter rule goes on to hold.
    unit: unit === 'items' ? 'items' : (options.unit ?? unit),
    inputs: scope.inputs,
    steps: traits.steps === 'all' ? scope.allSteps() : pickSteps(scope.steps, traits.steps),
    state: scope.state,
    context: scope.context,
  };
  // Work without effects or waits gains nothing from interleaving: it runs inline, with the same results.
  if (traits.pure) return runInline(address, branches, shared, execution, interpreter);
  const outcomes = await runtime.fork(
    address,
    { shared, branches, maxConcurrency: options.maxConcurrency, failure: options.failure ?? 'first' },
    { cancel },
  );
  cancel.throwIfCancelled();
  const failed = outcomes.findIndex((outcome) => outcome.status === 'failed');
  const values: Value[] = [];
  outcomes.forEach((outcome, index) => {
    if (outcome.status !== 'completed') return;
    values[index] = outcome.value;
    if (outcome.state !== undefined) scope.holder.current = { ...scope.holder.current, ...outcome.state };
    for (const effect of outcome.missingEffects ?? []) execution.missingEffects.add(effect);
  });
  const failure = outcomes[failed];
  if (failure?.status === 'failed') throw placed(failure.error, branches[failed]!);
  return values;
}

async function runInline(
  address: Address,
  branches: readonly ForkBranch[],
  shared: SharedVariables,
  { runtime, cancel }: Execution,
  interpreter: Interpreting,
): Promise<Value[]> {
  const values: Value[] = [];
  for (const branch of branches) {
    const outcome = await interpreter.executeBranch(
      `${address}/${branch.key}`,
      shared,
      branch,
      runtime,
      cancel,
    );
    if (outcome.status === 'failed') throw placed(outcome.error, branch);
    cancel.throwIfCancelled();
    values.push(outcome.status === 'completed' ? outcome.value : null);
  }
  return values;
}

function pickSteps(steps: RecordedSteps, ids: ReadonlySet<string>): JsonObject {
  const picked = new RecordedSteps();
  for (const id of ids) if (steps.has(id)) picked.record(id, steps.get(id));
  return picked.toObject();
}

/** Names the branch or the item in which a failure happened. Source: field report FR-13. */
function placed(error: unknown, { key, loop }: ForkBranch): PlacedFailure {
  if (loop != null && key === String(loop.index)) return itemFailure(error, loop.index, loop.item);
  return new PlacedFailure(`branch '${key}' failed`, error, { branch: key });
}
