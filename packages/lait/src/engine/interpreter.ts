import { StepError } from '../errors/errors.js';
import { holds } from '../expressions/truth.js';
import type { Completion } from '../kinds/kind.js';
import type { Block, Edge, Plan, PlanCall, PlanNode, PlanStart } from '../plan/plan.js';
import { inheritSettings } from '../plan/settings.js';
import { type JsonObject, setOwnProperty, type Value } from '../values/value.js';
import { acceptChild } from './accept-child.js';
import { type AttemptsResult, runAttempts } from './attempts.js';
import { CancelScope } from './cancel-scope.js';
import { catchDeadline } from './deadline.js';
import { evaluateField } from './evaluate-field.js';
import { type Execution, type Interpreting, newExecution, type RunEnvironment } from './execution.js';
import { StepFailure } from './failure.js';
import { runWholePlan } from './run-whole-plan.js';
import { RunningStep } from './running-step.js';
import type { Address, BranchExecutor, BranchOutcome, Runtime, Snapshot } from './runtime.js';

/** The one loop that runs the plans of all forms. */
export class Interpreter implements Interpreting {
  constructor(private readonly environment: RunEnvironment) {}

  /** Runs a plan from its beginning, or from a snapshot, to its end. */
  runRootPlan(
    plan: Plan,
    start: PlanStart,
    runtime: Runtime,
    cancel: CancelScope,
    from?: Snapshot,
  ): Promise<Completion> {
    const execution = newExecution(this.environment, {
      ...from,
      plan,
      settings: plan.settings,
      runtime,
      cancel,
      inputs: from?.inputs ?? start.inputs,
      holder: { current: from?.state ?? start.state },
      context: start.context,
      frame: '',
      prefix: '',
      depth: 0,
      callers: [plan.origin],
    });
    return from === undefined
      ? runWholePlan(execution, this, start.value)
      : runWholePlan(execution, this, from.value, from.completedIndex + 1);
  }

  /** Runs another plan as a child of a step: own steps, inputs and loop; shared state, context and cancellation. */
  async runChildPlan(plan: Plan, call: PlanCall, address: Address, caller: Execution): Promise<Value> {
    const start = acceptChild(plan, call, caller);
    const cancel = new CancelScope(caller.cancel);
    const { runtime, unit } = caller;
    const depth = caller.progress.depth + 1;
    const execution = newExecution(this.environment, {
      ...start,
      plan,
      settings: inheritSettings(plan.settings, caller.settings),
      runtime,
      cancel,
      holder: caller.scope.holder,
      frame: `${address}>`,
      prefix: caller.progress.prefix,
      depth,
      callers: [...caller.callers, plan.origin],
      unit,
    });
    if (runtime.listening) {
      runtime.emit({
        type: 'workflow.started',
        address,
        workflow: plan.id,
        name: plan.name,
        description: plan.description,
        depth,
      });
    }
    try {
      const completion = await runWholePlan(execution, this, start.value);
      if (completion.outcome !== undefined && completion.outcome !== 'success') {
        throw new StepError({
          code: 'workflow_failed',
          message: `workflow '${plan.id}' ended as ${completion.outcome}`,
        });
      }
      if (runtime.listening) runtime.emit({ type: 'workflow.completed', address, workflow: plan.id, depth });
      return completion.value;
    } catch (error) {
      caller.cancel.throwIfCancelled();
      throw catchDeadline(cancel.reason ?? error, execution.frame);
    } finally {
      cancel.dispose();
    }
  }

  async runBlock(
    block: Block,
    value: Value,
    execution: Execution,
    startIndex = block.entry ?? 0,
  ): Promise<Completion> {
    if (block.edges !== undefined) return this.#walk(block, block.edges, value, execution, startIndex);
    let current = value;
    const commits = block === execution.plan.body && execution.progress.depth === 0;
    for (let index = startIndex; index < block.nodes.length; index += 1) {
      const running = this.#runNode(block.nodes[index]!, current, execution);
      const completion = running instanceof Promise ? await running : running;
      if (completion.control !== undefined) return completion;
      current = completion.value;
      if (commits) {
        const kept = this.#commit(block.nodes[index]!, index, current, execution);
        if (kept !== undefined) await kept;
      }
    }
    return { value: current };
  }

  /** A graph: exactly one node at a time; after each the first edge whose condition holds leads on. */
  async #walk(
    block: Block,
    edges: readonly (readonly Edge[])[],
    value: Value,
    execution: Execution,
    startIndex: number,
  ): Promise<Completion> {
    const { scope, environment } = execution;
    let index = startIndex;
    let current = value;
    for (;;) {
      const node = block.nodes[index]!;
      let next: Edge | undefined;
      try {
        const running = this.#runNode(node, current, execution);
        const completion = running instanceof Promise ? await running : running;
        if (completion.control !== undefined) return completion;
        current = completion.value;
        if (environment.kinds.get(node.kind)!.ends === 'block') return completion;
        next = edges[index]!.find(({ kind, condition }) => {
          if (kind !== 'normal') return false;
          scope.value = current;
          return condition?.evaluate(scope) ?? true;
        });
      } catch (error) {
        execution.cancel.throwIfCancelled();
        next = edges[index]!.find(({ kind }) => kind === 'error');
        if (next === undefined) throw error;
      }
      if (next === undefined) {
        const cause = new StepError({ code: 'no_matching_edge', message: 'no edge leads on from here' });
        throw new StepFailure(node, 1, cause);
      }
      index = next.target;
    }
  }

  /**
   * Gives its completion without a promise when the step is pure: an asynchronous function for each step would allocate
   * more than everything else that such a step does.
   */
  #runNode(node: PlanNode, value: Value, execution: Execution): Completion | Promise<Completion> {
    const breath = execution.environment.breather.breathe();
    return breath === undefined
      ? this.#runNow(node, value, execution)
      : breath.then(() => this.#runNow(node, value, execution));
  }

  #runNow(node: PlanNode, value: Value, execution: Execution): Completion | Promise<Completion> {
    const { scope, progress, cancel } = execution;
    cancel.throwIfCancelled();
    progress.counter += 1;
    const number = progress.counter;
    const step = new RunningStep(node, number, execution);
    if (node.when !== undefined) {
      let when: Value;
      try {
        scope.value = value;
        when = evaluateField('when', node.when, scope);
      } catch (error) {
        throw new StepFailure(node, 1, error);
      }
      if (!holds(when)) {
        step.skipped();
        return { value };
      }
    }
    step.started(value);
    let running: AttemptsResult | Promise<AttemptsResult>;
    try {
      running = runAttempts(node, value, number, execution, this);
    } catch (error) {
      return step.failed(error);
    }
    return running instanceof Promise ? step.settled(running) : step.completed(running);
  }

  #commit(
    node: PlanNode,
    completedIndex: number,
    value: Value,
    execution: Execution,
  ): Promise<void> | undefined {
    const { scope, progress, runtime, frame } = execution;
    return runtime.commit(frame + node.path, () => ({
      completedIndex,
      value,
      steps: scope.allSteps(),
      inputs: scope.inputs,
      state: scope.state,
      counter: progress.counter,
    }));
  }

  /** Runs one branch of a fork from data alone, wherever the runtime put it. */
  readonly executeBranch: BranchExecutor = async (address, shared, branch, runtime, cancel) => {
    const holder = { current: shared.state };
    const frame = `${address}>`;
    const { plan, settings, callers, unit, depth, inputs, steps, context } = shared;
    const { loop, prefix } = branch;
    const execution = newExecution(this.environment, {
      plan,
      settings,
      callers,
      unit,
      depth,
      inputs,
      steps,
      context,
      loop,
      prefix,
      holder,
      frame,
      runtime,
      cancel,
    });
    try {
      const { value } = await this.runBlock(branch.block, branch.value, execution);
      this.environment.itemLog?.finished(address, value);
      const outcome: BranchOutcome = { status: 'completed', value };
      if (holder.current !== shared.state) outcome.state = writesOf(shared.state, holder.current);
      if (execution.missingEffects.size > 0) outcome.missingEffects = [...execution.missingEffects];
      return outcome;
    } catch (error) {
      return cancel.cancelled ? { status: 'cancelled' } : { status: 'failed', error };
    }
  };
}

/** The keys that a branch wrote: what it only saw must not undo what a sibling wrote. */
function writesOf(before: JsonObject, after: JsonObject): JsonObject {
  const writes: JsonObject = {};
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key) || before[key] !== after[key]) setOwnProperty(writes, key, after[key]);
  }
  return writes;
}
