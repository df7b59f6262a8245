import type { Expression, Reference } from '../../expressions/expression.js';
import type { TemplateText } from '../../expressions/template.js';
import type { Kinds } from '../../kinds/kind.js';
import { allNodes } from '../all-nodes.js';
import type { Diagnostic } from '../diagnostic.js';
import type { DiagnosticCode } from '../diagnostic-codes.js';
import type { ExpressionOrigins } from '../expression-origins.js';
import type { Block, Plan, PlanNode } from '../plan.js';
import { didYouMean } from '../suggest.js';

/** What can be recorded at a place, and what surrounds it. */
interface View {
  /** Ids of the steps that may have been recorded before. Shared by blocks that record into the same scope. */
  recorded: Set<string>;
  /** Inside the body of a loop: `loop` is there. */
  inLoop: boolean;
}

export interface AnalysisOptions {
  kinds: Kinds;
  origins: ExpressionOrigins;
  /** Ids of steps that the plan does not have because they could not be read: nothing is said about them. */
  unread?: readonly string[];
}

/**
 * Finds reads that cannot give what their author means: inputs that are not declared (error), template variables that
 * do not exist (error), steps that do not exist, run later or stay inside a concurrent part (warning), and `loop`
 * outside loops (warning). Source: steps seed, jq 式 and `lait lint`; facts §17.
 */
export function analyseReferences(plan: Plan, options: AnalysisOptions): Diagnostic[] {
  const analysis = new ReferenceAnalysis(plan, options);
  const view: View = { recorded: new Set(), inLoop: false };
  analysis.block(plan.body, view);
  if (plan.output !== undefined) analysis.expression(plan.output, 'output', view);
  analysis.prompts();
  return analysis.found;
}

class ReferenceAnalysis {
  readonly found: Diagnostic[] = [];
  /** Every id of the file. */
  readonly #ids: Set<string>;
  readonly #unread: Set<string>;

  constructor(
    readonly plan: Plan,
    readonly options: AnalysisOptions,
  ) {
    this.#ids = idsIn([plan.body], options.kinds);
    this.#unread = new Set(options.unread?.filter((id) => !this.#ids.has(id)));
  }

  block(block: Block, view: View): void {
    for (const node of block.nodes) this.#node(node, view);
  }

  /** Prompts outside steps: they are rendered at many places, so only what no place can give is wrong. */
  prompts(): void {
    const everywhere: View = { recorded: this.#ids, inLoop: true };
    const { defaults, agents } = this.plan.settings;
    if (defaults.system !== undefined) this.expression(defaults.system, 'default.system', everywhere);
    for (const [name, agent] of Object.entries(agents)) {
      const expressions = [agent.system, ...(agent.files ?? []), ...(agent.images ?? [])];
      for (const expression of expressions) this.expression(expression, `agents.${name}`, everywhere);
    }
  }

  #node(node: PlanNode, view: View): void {
    const kind = this.options.kinds.get(node.kind);
    if (node.when !== undefined) this.expression(node.when, 'when', view, node);
    // Copied only where it is needed: a copy for each step of a long file takes forever.
    const before = node.onError === undefined ? undefined : new Set(view.recorded);
    if (node.input !== undefined) this.expression(node.input, 'input', view, node);
    const children = kind?.blocks?.(node.fields) ?? [];
    // What one round records, the condition and the next round see.
    const carried = children.filter(({ repeated, concurrent }) => repeated === true && concurrent !== true);
    for (const id of idsIn(
      carried.map(({ block }) => block),
      this.options.kinds,
    ))
      view.recorded.add(id);
    for (const { name, expression } of kind?.expressions?.(node.fields) ?? []) {
      this.expression(expression, name, view, node);
    }
    for (const { block, concurrent } of children) {
      const recorded = concurrent === true ? new Set(view.recorded) : view.recorded;
      this.block(block, { recorded, inLoop: view.inLoop || kind?.loop === true });
    }
    if (node.output !== undefined) this.expression(node.output, 'output', view, node);
    // What the failed attempt recorded is gone.
    if (node.onError !== undefined && before !== undefined) {
      this.block(node.onError, { ...view, recorded: before });
      for (const id of before) view.recorded.add(id);
    }
    if (node.id !== undefined) view.recorded.add(node.id);
  }

  expression(expression: Expression, field: string, view: View, node?: PlanNode): void {
    for (const reference of expression.references) {
      const [name] = reference.path;
      if (reference.root === 'inputs' && typeof name === 'string') {
        this.#input(name, expression, reference, field, node);
      } else if (reference.root === 'steps' && typeof name === 'string') {
        this.#step(name, expression, reference, field, view, node);
      } else if (reference.root === 'loop' && name !== undefined && !view.inLoop) {
        const message = `${field} reads loop.${name}, but no for_each, while or until is around it`;
        this.#add('loop_outside_loop', 'warning', message, undefined, expression, reference, node);
      }
    }
    const { unknownVariables = [], unescaped = [] } = expression as Partial<TemplateText>;
    for (const place of unescaped) {
      const message = `${field} asks for a value that is not escaped; templates escape nothing: two braces are enough`;
      this.#add('unneeded_braces', 'warning', message, undefined, expression, place, node);
    }
    for (const variable of unknownVariables) {
      const known = ['input', 'steps', 'inputs', 'loop'];
      const message = `${field} reads the variable '${variable.name}', which templates do not have`;
      const hint = didYouMean(variable.name, known) ?? `templates have ${known.join(', ')}`;
      this.#add('unknown_variable', 'error', message, hint, expression, variable, node);
    }
  }

  #input(name: string, expression: Expression, reference: Reference, field: string, node?: PlanNode): void {
    const declared = this.plan.inputs ?? {};
    if (Object.hasOwn(declared, name)) return;
    const names = Object.keys(declared);
    const hint = didYouMean(name, names) ?? `declare it: inputs: { ${name}: string }`;
    const message = `${field} reads the input '${name}', which is not declared under inputs:`;
    this.#add('undeclared_input', 'error', message, hint, expression, reference, node);
  }

  #step(
    id: string,
    expression: Expression,
    reference: Reference,
    field: string,
    { recorded }: View,
    node?: PlanNode,
  ) {
    if (recorded.has(id) || this.#unread.has(id)) return;
    if (!this.#ids.has(id)) {
      const hint = didYouMean(
        `steps.${id}`,
        [...this.#ids].map((known) => `steps.${known}`),
      );
      const message = `${field} reads steps.${id}, but no step has the id '${id}'`;
      this.#add('unknown_step', 'warning', message, hint, expression, reference, node);
      return;
    }
    const why = id === node?.id ? 'which is this step itself' : 'which cannot be recorded by then';
    const message = `${field} reads steps.${id}, ${why}: it runs later, or inside a concurrent part that keeps its records`;
    this.#add('step_not_visible', 'warning', message, undefined, expression, reference, node);
  }

  #add(
    code: DiagnosticCode,
    severity: 'error' | 'warning',
    message: string,
    hint: string | undefined,
    expression: Expression,
    { start, end }: { start?: number; end?: number },
    node?: PlanNode,
  ): void {
    const position = this.options.origins.position(expression, start, end);
    this.found.push({
      code,
      severity,
      message,
      ...(position !== undefined && { position }),
      ...(node !== undefined && { path: node.path }),
      ...(node?.id !== undefined && { id: node.id }),
      ...(hint !== undefined && { hint }),
    });
  }
}

function idsIn(blocks: readonly Block[], kinds: Kinds): Set<string> {
  const ids = new Set<string>();
  for (const block of blocks) {
    for (const { id } of allNodes(block.nodes, kinds)) if (id !== undefined) ids.add(id);
  }
  return ids;
}
