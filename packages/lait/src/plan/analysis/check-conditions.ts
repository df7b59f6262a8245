import type { Expression } from '../../expressions/expression.js';
import { assignmentIn } from '../../expressions/jq.js';
import { scopeOf } from '../../expressions/scope.js';
import { holds } from '../../expressions/truth.js';
import type { Kinds } from '../../kinds/kind.js';
import { allNodes } from '../all-nodes.js';
import type { Block, PlanNode } from '../plan.js';
import type { Findings } from './located-plan.js';

/** Finds conditions that never change or assign, and steps that can never run. */
export function checkConditions(findings: Findings, kinds: Kinds): void {
  const { plan } = findings.located;
  for (const node of allNodes(plan.body.nodes, kinds)) {
    const constant = constantWhen(node);
    if (constant !== undefined) {
      findings.add({
        code: 'constant_condition',
        message: `when: ${node.when!.source} never changes: the step ${constant ? 'always' : 'never'} runs`,
        node,
        expression: node.when!,
      });
    }
    for (const { name, expression } of conditionsOf(node, kinds)) {
      const assigned = expression.language === 'jq' ? assignmentIn(expression.source) : undefined;
      if (assigned === undefined) continue;
      const { source } = expression;
      findings.add({
        code: 'assignment_as_condition',
        message: `${name}: ${source.slice(assigned.start, assigned.end)} assigns, and always holds`,
        hint: "did you mean '=='?",
        node,
        expression,
      });
    }
  }
  checkBlock(plan.body, findings, kinds);
}

/** What a step asks: its own `when`, and the conditions of its kind. */
function conditionsOf(node: PlanNode, kinds: Kinds): { name: string; expression: Expression }[] {
  const own = kinds.get(node.kind)?.expressions?.(node.fields) ?? [];
  const conditions = own.filter(({ condition }) => condition === true);
  return node.when === undefined ? conditions : [{ name: 'when', expression: node.when }, ...conditions];
}

/** Whether the step runs, when that does not depend on anything: the condition is made of literals alone. */
function constantWhen({ when }: PlanNode): boolean | undefined {
  if (when?.language !== 'jq' || !isLiteral(when.source)) return undefined;
  try {
    return holds(when.evaluate(scopeOf(null)));
  } catch {
    return undefined;
  }
}

/** No `.`, no variable and no function can stand in such a text. */
function isLiteral(source: string): boolean {
  const withoutTexts = source.replace(/"(?:[^"\\]|\\[^(])*"/g, '0').replace(/\d+\.\d+/g, '0');
  const words = withoutTexts.match(/[^\s\d()=!<>+\-*/%]+/g) ?? [];
  return words.every((word) => /^(true|false|null|and|or|not)$/.test(word));
}

function checkBlock(block: Block, findings: Findings, kinds: Kinds): void {
  for (const [index, node] of block.nodes.entries()) {
    const kind = kinds.get(node.kind)!;
    const next = block.nodes[index + 1];
    if (
      block.edges === undefined &&
      kind.ends !== undefined &&
      node.when === undefined &&
      next !== undefined
    ) {
      findings.add({
        code: 'unreachable_step',
        message: `this step and those behind it never run: '${node.label}' always ends here; give it a \`when\``,
        node: next,
      });
    }
    for (const child of kind.blocks?.(node.fields) ?? []) checkBlock(child.block, findings, kinds);
    if (node.onError !== undefined) checkBlock(node.onError, findings, kinds);
  }
}
