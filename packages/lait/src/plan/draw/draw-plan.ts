import { LaitError } from '../../errors/lait-error.js';
import type { ChildBlock, Kind, Kinds } from '../../kinds/kind.js';
import type { Block, Edge, Plan, PlanNode } from '../plan.js';
import type { EdgeStyle, Picture, PictureEdge, PictureGroup, PictureShape, PictureState } from './picture.js';
import { oneLine, stepLines } from './step-lines.js';

export interface DrawOptions {
  kinds: Kinds;
  /** Child workflows to draw inside the steps that call them; the others stay boxes. */
  children?: ReadonlyMap<PlanNode, Plan>;
  /** How steps stand in a run, with what is said of it. Default: no run is shown. */
  standing?(node: PlanNode): Standing | undefined;
}

/** How a step stands in a run. */
export interface Standing {
  state: PictureState;
  /** A line below what the step does, e.g. `succeeded, 3 times`. */
  text: string;
}

/** An arrow that has left its node and looks for the next one. */
interface Loose {
  from: string;
  style: EdgeStyle;
  label?: string;
}

/** Children that call children more than once grow without bound when they are drawn inside each other. */
const mostNodes = 50_000;

/** More loose arrows than this are gathered in a junction, so that drawings of long files stay linear in size. */
const mostLoose = 2;

/**
 * Draws a plan of any form from the traits of its kinds. Throws a `LaitError` (code `drawing_too_large`) when expanded
 * children grow beyond all use. Source: steps seed, グラフ出力; steps facts §16.
 */
export function drawPlan(plan: Plan, options: DrawOptions): Picture {
  return new Drawer(options).draw(plan);
}

class Drawer {
  readonly #edges: PictureEdge[] = [];
  #count = 0;

  constructor(private readonly options: DrawOptions) {}

  draw(plan: Plan): Picture {
    const root = this.#group(undefined, '');
    const start = this.#node(root, 'start', ['start']);
    const ends = this.#block(plan.body, root, [loose(start)]);
    // Where every way ends in an end of its own, there is nothing to add.
    if (ends.length > 0) this.#connect(ends, this.#node(root, 'end', ['end']));
    return { root, edges: this.#edges };
  }

  /** Draws a block into a group and gives back what leads out of it. */
  #block(block: Block, group: PictureGroup, entering: readonly Loose[]): Loose[] {
    if (block.edges !== undefined) return this.#graph(block, block.edges, group, entering);
    let incoming = [...entering];
    for (const node of block.nodes) incoming = this.#step(node, group, incoming).leaving;
    return incoming;
  }

  #graph(
    block: Block,
    edges: readonly (readonly Edge[])[],
    group: PictureGroup,
    entering: readonly Loose[],
  ): Loose[] {
    const drawn = block.nodes.map((node) => this.#step(node, group, []));
    this.#connect(entering, drawn[block.entry ?? 0]!.id);
    const leaving: Loose[] = [];
    drawn.forEach((step, index) => {
      const { ends } = this.#kind(block.nodes[index]!);
      if (ends === 'block') leaving.push(...step.leaving);
      for (const { target, condition, kind } of edges[index] ?? []) {
        const label = condition === undefined ? undefined : oneLine(condition.source);
        if (kind === 'error') {
          this.#edges.push({ from: step.id, to: drawn[target]!.id, style: 'error', label: label ?? 'error' });
        } else {
          const [plain] = step.leaving.length === 0 ? [loose(step.id)] : step.leaving;
          const combined = [plain!.label, label].filter((part) => part !== undefined).join(', ');
          this.#connect([{ ...plain!, ...(combined === '' ? {} : { label: combined }) }], drawn[target]!.id);
          this.#connect(step.leaving.slice(1), drawn[target]!.id);
        }
      }
    });
    return leaving;
  }

  #step(node: PlanNode, group: PictureGroup, entering: readonly Loose[]): { id: string; leaving: Loose[] } {
    const kind = this.#kind(node);
    const child = this.options.children?.get(node);
    const called = kind.callsWorkflow?.(node.fields) !== undefined;
    const gathered = node.when === undefined ? [...entering] : this.#gather(entering, group);
    const standing = this.options.standing?.(node);
    const lines = stepLines(node, kind);
    const id = this.#node(
      group,
      called ? 'workflow' : kind.shape,
      standing === undefined ? lines : [...lines, oneLine(standing.text)],
      standing?.state,
    );
    this.#connect(gathered, id);
    let leaving: Loose[];
    if (child !== undefined)
      leaving = this.#block(child.body, this.#group(group, titleOf(child)), [loose(id)]);
    else leaving = this.#children(kind.blocks?.(node.fields) ?? [], id, group);
    if (kind.ends === 'workflow' || kind.ends === 'loop') leaving = [];
    if (node.onError !== undefined) {
      const handler = this.#group(group, `on_error of ${node.label}`);
      leaving.push(...this.#block(node.onError, handler, [{ from: id, style: 'error', label: 'on_error' }]));
    }
    if (node.when !== undefined) {
      const passing = gathered.length === 0 ? [loose(id)] : gathered;
      leaving.push(
        ...passing.map((way): Loose => ({ ...way, style: 'skip', label: way.label ?? 'skipped' })),
      );
    }
    return { id, leaving };
  }

  /** Blocks that may be passed over are cases; repeated ones lead back; side by side they meet in a join. */
  #children(blocks: readonly ChildBlock[], id: string, group: PictureGroup): Loose[] {
    if (blocks.length === 0) return [loose(id)];
    const repeated = blocks.some((child) => child.repeated === true);
    const together = !repeated && blocks.every((child) => child.concurrent === true);
    const leaving: Loose[] = [];
    for (const { block, title, optional, repeated: again, concurrent } of blocks) {
      const isCase = optional === true && again !== true && concurrent !== true;
      const inner = isCase ? group : this.#group(group, oneLine(title));
      const way: Loose = { from: id, style: 'normal', ...(isCase ? { label: oneLine(title) } : {}) };
      const ends = this.#block(block, inner, [way]);
      if (again === true) {
        for (const end of ends)
          this.#edges.push({ ...end, to: id, style: end.style === 'normal' ? 'back' : end.style });
      } else leaving.push(...ends);
    }
    if (repeated) return [loose(id), ...leaving];
    if (!together) return leaving;
    const join = this.#node(group, 'join', ['join']);
    this.#connect(leaving, join);
    return [loose(join)];
  }

  /** Few arrows as they are, many through one junction. */
  #gather(entering: readonly Loose[], group: PictureGroup): Loose[] {
    if (entering.length <= mostLoose) return [...entering];
    const junction = this.#node(group, 'junction', []);
    this.#connect(entering, junction);
    return [loose(junction)];
  }

  #connect(ways: readonly Loose[], to: string): void {
    for (const way of ways) this.#edges.push({ ...way, to });
  }

  #node(group: PictureGroup, shape: PictureShape, lines: readonly string[], state?: PictureState): string {
    if (this.#count > mostNodes) {
      throw new LaitError({
        code: 'drawing_too_large',
        message: `the drawing has more than ${mostNodes.toLocaleString('en')} shapes; draw the child workflows one by one`,
      });
    }
    const id = `n${this.#count++}`;
    group.nodes.push({ id, shape, lines, ...(state === undefined ? {} : { state }) });
    return id;
  }

  #group(parent: PictureGroup | undefined, title: string): PictureGroup {
    const group: PictureGroup = { id: `g${this.#count++}`, title, nodes: [], groups: [] };
    parent?.groups.push(group);
    return group;
  }

  #kind(node: PlanNode): Kind {
    const kind = this.options.kinds.get(node.kind);
    if (kind === undefined) throw new Error(`unknown kind '${node.kind}' at ${node.path}`);
    return kind;
  }
}

function loose(from: string): Loose {
  return { from, style: 'normal' };
}

function titleOf(plan: Plan): string {
  return oneLine(plan.name === undefined ? plan.id : `${plan.name} (${plan.id})`);
}
