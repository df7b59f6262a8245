import type { Expression } from '../expressions/expression.js';
import type { LoopView } from '../expressions/scope.js';
import type {
  BranchOptions,
  BranchRequest,
  Completion,
  ConversationLog,
  ItemLog,
  StepContext,
} from '../kinds/kind.js';
import type { Services } from '../kinds/services.js';
import type { Block, Plan, PlanCall, PlanNode } from '../plan/plan.js';
import type { PlanSettings } from '../plan/settings.js';
import type { JsonValue, Value } from '../values/value.js';
import type { Spent } from './budget.js';
import type { CancelScope } from './cancel-scope.js';
import { inField } from './evaluate-field.js';
import type { RunEvent, StepFields } from './events.js';
import { type Execution, type Interpreting, stepFields } from './execution.js';
import type { Question } from './question.js';
import { RecordedSteps } from './recorded-steps.js';
import { runBranches } from './run-branches.js';
import type { EffectContext, EffectOptions, EffectResult } from './runtime.js';

/** What a kind sees while it executes: the engine behind the `StepContext` contract. */
export class EngineStepContext implements StepContext {
  /** Effects that the step's calls achieved, in order. */
  effects: string[] | undefined;
  #questions = 0;

  constructor(
    readonly node: PlanNode,
    readonly input: Value,
    readonly attempt: number,
    readonly number: number,
    private readonly execution: Execution,
    private readonly interpreter: Interpreting,
  ) {}

  get plan(): Plan {
    return this.execution.plan;
  }

  get settings(): PlanSettings {
    return this.execution.settings;
  }

  get services(): Services {
    return this.execution.environment.services;
  }

  get runId(): string {
    return this.execution.runtime.runId;
  }

  get cancel(): CancelScope {
    return this.execution.cancel;
  }

  get callers(): readonly string[] {
    return this.execution.callers;
  }

  get scope() {
    return this.execution.scope;
  }

  get address(): string {
    return this.attempt > 1 ? `${this.#keyAddress}@${this.attempt}` : this.#keyAddress;
  }

  get #keyAddress(): string {
    return this.execution.frame + this.node.path;
  }

  evaluate<T extends Value>(expression: Expression<T>, value: Value = this.input, loop?: LoopView): T {
    const scope = loop === undefined ? this.execution.scope : this.execution.scope.derive({ loop });
    scope.value = value;
    try {
      return expression.evaluate(scope);
    } catch (cause) {
      const field = this.#fieldOf(expression);
      throw field === undefined ? cause : inField(field, cause);
    }
  }

  /** The field that the author wrote the expression in; none where the failure's own text begins with it. */
  #fieldOf(expression: Expression): string | undefined {
    const kind = this.execution.environment.kinds.get(this.node.kind);
    if (kind?.fields === undefined) return undefined;
    const field = kind.expressions?.(this.node.fields).find((named) => named.expression === expression)?.name;
    return field === expression.language ? undefined : field;
  }

  async effect(
    run: (context: EffectContext) => Promise<EffectResult>,
    options: EffectOptions & { name?: string } = {},
  ): Promise<Value> {
    const suffix = options.name === undefined ? '' : `/${options.name}`;
    const { runtime, cancel, scope } = this.execution;
    let resume: JsonValue | undefined;
    for (let round = 0; ; round += 1) {
      cancel.throwIfCancelled();
      const again = round === 0 ? '' : `~${round}`;
      const answer = resume;
      const result = await runtime.step(
        this.address + suffix + again,
        (context) => {
          if (answer !== undefined) context.resume = answer;
          return run(context);
        },
        {
          cancel,
          interrupted: options.interrupted,
          adopt: options.adopt,
          keyAddress: this.#keyAddress + suffix + again,
        },
      );
      if ('suspended' in result) {
        resume = await this.#wait(`${this.address}${suffix}${again}?`, result.suspended);
        continue;
      }
      if (result.state !== undefined) scope.holder.current = result.state;
      if (result.effects !== undefined && result.effects.length > 0) {
        this.effects = [...(this.effects ?? []), ...result.effects];
      }
      return result.value;
    }
  }

  recorded(name: string): Value | undefined {
    const result = this.execution.runtime.recorded(`${this.address}/${name}`);
    return result === undefined || 'suspended' in result ? undefined : result.value;
  }

  beginModelCall({ priced, ended }: { priced: boolean; ended: boolean }) {
    const { label } = this.node;
    const budgets = [...this.cancel.budgeted()];
    for (const { scope, budget } of ended ? [] : budgets) {
      const refusal = budget.refusal(label, priced);
      if (refusal === undefined) continue;
      scope.cancel(refusal);
      throw refusal;
    }
    for (const { budget } of budgets) budget.begin();
    return (spent: Spent | undefined) => {
      for (const { budget } of budgets) budget.settle(label, spent);
    };
  }

  ask(question: Question): Promise<JsonValue> {
    this.#questions += 1;
    return this.#wait(`${this.address}?${this.#questions > 1 ? this.#questions : ''}`, question);
  }

  async #wait(address: string, question: Question): Promise<JsonValue> {
    const { runtime, cancel } = this.execution;
    if (this.listening) this.emit({ type: 'question.asked', question, ...this.eventFields(), address });
    const answer = await runtime.wait(address, question, { cancel });
    if (this.listening) this.emit({ type: 'question.answered', answer, ...this.eventFields(), address });
    return answer;
  }

  async sleep(until: number): Promise<void> {
    if (this.listening) this.emit({ type: 'sleep.started', until, ...this.eventFields() });
    await this.execution.runtime.sleep(`${this.address}/sleep`, until, { cancel: this.cancel });
  }

  now(): Promise<number> {
    return this.execution.runtime.now(`${this.address}/now`);
  }

  runBlock(
    block: Block,
    value: Value,
    options: { key?: string | number; loop?: LoopView; isolated?: boolean } = {},
  ): Promise<Completion> {
    const execution = this.execution;
    const { key, loop, isolated } = options;
    if (key === undefined && loop === undefined && isolated !== true && this.attempt === 1) {
      return this.interpreter.runBlock(block, value, execution);
    }
    return this.interpreter.runBlock(block, value, {
      ...execution,
      frame: `${this.address}${key === undefined ? '' : `#${key}`}>`,
      scope: execution.scope.derive({
        ...(loop === undefined ? {} : { loop }),
        ...(isolated === true ? { steps: new RecordedSteps(execution.scope.steps) } : {}),
      }),
    });
  }

  runBranches(requests: readonly BranchRequest[], options: BranchOptions): Promise<Value[]> {
    return runBranches(requests, options, this.address, this.execution, this.interpreter);
  }

  get itemLog(): ItemLog | undefined {
    return this.#isTopLevel ? this.execution.environment.itemLog : undefined;
  }

  get conversationLog(): ConversationLog | undefined {
    return this.#isTopLevel ? this.execution.environment.conversationLog : undefined;
  }

  get #isTopLevel(): boolean {
    return this.execution.progress.depth === 0 && this.plan.body.nodes.includes(this.node);
  }

  record(id: string, value: Value): void {
    this.execution.scope.steps.record(id, value);
  }

  runPlan(plan: Plan, call: PlanCall): Promise<Value> {
    return this.interpreter.runChildPlan(plan, call, this.address, this.execution);
  }

  missEffects(effects: readonly string[]): void {
    for (const effect of effects) this.execution.missingEffects.add(effect);
  }

  get listening(): boolean {
    return this.execution.runtime.listening;
  }

  get metering(): boolean {
    return this.execution.runtime.metering;
  }

  emit(event: RunEvent): void {
    this.execution.runtime.emit(event);
  }

  eventFields(): StepFields {
    return stepFields(this.node, this.number, this.execution);
  }

  note(message: string): void {
    this.#say('note', message);
  }

  warn(message: string): void {
    this.#say('warning', message);
  }

  #say(type: 'note' | 'warning', message: string): void {
    const { prefix, depth } = this.execution.progress;
    if (this.listening) this.emit({ type, message, address: this.address, prefix, depth });
  }
}
