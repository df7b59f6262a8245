import type { ChildBlock, Kind } from '../../kinds/kind.js';
import type { Block, PlacementRestriction, PlanNode } from '../../plan/plan.js';
import type { Problems } from '../../plan/problems.js';
import type { StepRecord } from './compile-steps.js';

/** What surrounds a step: which control flow may leave it, and what would run at the same time. */
interface Surroundings {
  /** A loop that `break` would end, inside the same concurrent unit. */
  inLoop: boolean;
  /** A branch of `parallel` or an item of a concurrent `for_each`; `what` says which. */
  concurrent?: string;
  /** Inside an item of a concurrent `for_each`, at whatever depth. */
  inItems: boolean;
}

/**
 * Checks where stop, break, questions and fixed paths may stand, and gives every step its label. Kinds are asked for
 * their traits. Returns what a concurrent caller of this workflow must refuse. Source: steps seed, 並行実行の制約.
 */
export function checkPlacement(
  block: Block,
  records: ReadonlyMap<PlanNode, StepRecord>,
  problems: Problems,
): PlacementRestriction[] {
  const checker = new PlacementChecker(records, problems);
  checker.block(block, { inLoop: false, inItems: false }, { last: 0 });
  return checker.restrictions;
}

class PlacementChecker {
  readonly restrictions: PlacementRestriction[] = [];

  constructor(
    readonly records: ReadonlyMap<PlanNode, StepRecord>,
    readonly problems: Problems,
  ) {}

  block(block: Block, around: Surroundings, counter: { last: number }): void {
    for (const node of block.nodes) this.#node(node, around, counter);
  }

  #node(node: PlanNode, around: Surroundings, counter: { last: number }): void {
    const { kind, sound, range } = this.records.get(node)!;
    counter.last += 1;
    if (node.id === undefined) node.label = `step-${counter.last} (${kind.name})`;
    const name = node.id === undefined ? `${node.path} (${kind.name})` : `${node.path} (id '${node.id}')`;
    const refuse = (code: Parameters<Problems['add']>[0]['code'], message: string) =>
      this.problems.add({ code, message, range, path: node.path, id: node.id });
    const { concurrent } = around;
    if (kind.ends === 'workflow' && concurrent !== undefined) {
      refuse(
        'stop_in_concurrent',
        `${kind.name} cannot be used inside ${concurrent}: it would end the others too`,
      );
    }
    if (kind.ends === 'loop' && !around.inLoop) {
      const wall = concurrent === undefined ? '' : `: it cannot leave ${concurrent}`;
      refuse('break_outside_loop', `${kind.name} is only allowed inside for_each, while or until${wall}`);
    }
    if (kind.waits === true) {
      if (concurrent !== undefined)
        refuse('question_in_concurrent', `${kind.name} cannot be used inside ${concurrent}`);
      else
        this.#restrict(node, {
          where: 'any',
          code: 'question_in_concurrent',
          message: `${kind.name} cannot be used where steps run at the same time: ${name}`,
        });
    }
    if (!sound) return;
    if (kind.writes?.(node.fields).language === 'constant') {
      const remedy = 'put {{ loop.index }} or the like into it';
      const message = `${kind.name}: all items would write the same file '${kind.writes(node.fields).source}': ${remedy}`;
      const code = 'fixed_write_in_concurrent';
      if (around.inItems) refuse(code, message);
      else this.#restrict(node, { where: 'items', code, message: `${message} (${name})` });
    }
    for (const child of kind.blocks?.(node.fields) ?? []) {
      this.block(child.block, surroundings(around, kind, child), child.concurrent ? { last: 0 } : counter);
    }
    if (node.onError !== undefined) this.block(node.onError, around, counter);
  }

  #restrict(node: PlanNode, restriction: Pick<PlacementRestriction, 'where' | 'code' | 'message'>): void {
    const { path, id, position } = node;
    this.restrictions.push({
      ...restriction,
      path,
      ...(id !== undefined && { id }),
      ...(position && { position }),
    });
  }
}

function surroundings(around: Surroundings, kind: Kind, child: ChildBlock): Surroundings {
  if (child.concurrent !== true) return { ...around, inLoop: around.inLoop || kind.loop === true };
  return child.repeated === true
    ? { inLoop: false, concurrent: `a concurrent ${kind.name}`, inItems: true }
    : { inLoop: false, concurrent: `branch '${child.title}' of ${kind.name}`, inItems: around.inItems };
}
