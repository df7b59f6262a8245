import { CharSet } from './char-set.js';
import { type AnchorKind, type RegexNode, RegexSyntaxError, type RegexTree } from './syntax.js';

/** Operations of the matching machine. */
export enum Op {
  /** The match is complete. */
  Match,
  /** One code point equal to `a`. */
  Character,
  /** One code point of `set`. */
  Set,
  /** As many of `set` as there are, at least `a` and at most `b`; gives back one at a time. */
  SetRun,
  /** Like SetRun without giving back. */
  SetRunPossessive,
  /** Tries what follows, later `a`. */
  Split,
  /** Tries `a`, later what follows. */
  SplitLazy,
  Jump,
  /** Stores the position in register `a`. */
  Save,
  /** Sets register `a` to `b`. */
  Store,
  /** Adds one to register `a`. */
  Count,
  /** Goes to `b` where register `a` is below `c`. */
  JumpIfBelow,
  /** Goes to `b` where the position is still that of register `a`: a repetition that took nothing ends. */
  JumpIfUnmoved,
  Anchor,
  /** The same text as one of `groups` has matched. */
  Reference,
  /** Marks the backtrack stack and the position in registers `a` and `a + 1`. */
  Mark,
  /** Forgets the alternatives since the mark in register `a`. */
  Commit,
  /** Commit, then back to the marked position. */
  CommitAndReturn,
  /** Drops everything since the mark and the alternative before it, and fails. */
  FailBeyond,
  /** Steps back over `b`, later over one more, at most `c` code points; register `a` has the position to end at. */
  StepBack,
  /** Fails unless the position is that of register `a`. */
  RequirePosition,
}

export interface Instruction {
  readonly op: Op;
  a: number;
  b: number;
  c: number;
  readonly set: CharSet | null;
  readonly groups: readonly number[] | null;
  readonly anchor: AnchorKind | null;
  readonly ignoreCase: boolean;
}

export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  /** Registers: two for each group, the whole match included, then what loops and marks need. */
  readonly registers: number;
  readonly groupNames: readonly (string | null)[];
  /** What the first code point of any match must be; null when that is not known. */
  readonly first: CharSet | null;
  /** A pattern that can match only where the text starts. */
  readonly isAnchored: boolean;
}

const maximumInstructions = 50_000;
const infinite = 0x7fffffff;

/** Compiles a parsed pattern. Throws RegexSyntaxError when it would become too large. */
export function compileRegex(tree: RegexTree): RegexProgram {
  const compiler = new RegexCompiler(tree.groupNames.length);
  compiler.node(tree.root);
  compiler.emit(Op.Match);
  return {
    instructions: compiler.instructions,
    registers: compiler.registers,
    groupNames: tree.groupNames,
    first: firstSet(tree.root),
    isAnchored: startsAtText(tree.root),
  };
}

class RegexCompiler {
  readonly instructions: Instruction[] = [];
  registers: number;

  constructor(groups: number) {
    this.registers = (groups + 1) * 2;
  }

  emit(op: Op, fields: Partial<Omit<Instruction, 'op'>> = {}): Instruction {
    if (this.instructions.length >= maximumInstructions) throw new RegexSyntaxError('too big pattern');
    const defaults = { a: 0, b: 0, c: 0, set: null, groups: null, anchor: null, ignoreCase: false };
    const instruction = { op, ...defaults, ...fields };
    this.instructions.push(instruction);
    return instruction;
  }

  private get here(): number {
    return this.instructions.length;
  }

  private register(count = 1): number {
    const first = this.registers;
    this.registers += count;
    return first;
  }

  node(node: RegexNode): void {
    switch (node.type) {
      case 'empty':
        return;
      case 'character':
        this.emit(Op.Character, { a: node.code });
        return;
      case 'set':
        this.emit(Op.Set, { set: new CharSet(node.test) });
        return;
      case 'anchor':
        this.emit(Op.Anchor, { anchor: node.kind });
        return;
      case 'keep':
        this.emit(Op.Save, { a: 0 });
        return;
      case 'sequence':
        for (const item of node.items) this.node(item);
        return;
      case 'choice':
        this.choice(node.options);
        return;
      case 'group':
        this.emit(Op.Save, { a: node.index * 2 });
        this.node(node.body);
        this.emit(Op.Save, { a: node.index * 2 + 1 });
        return;
      case 'reference':
        this.emit(Op.Reference, { groups: node.groups, ignoreCase: node.ignoreCase });
        return;
      case 'atomic': {
        const mark = this.register(2);
        this.emit(Op.Mark, { a: mark });
        this.node(node.body);
        this.emit(Op.Commit, { a: mark });
        return;
      }
      case 'look':
        this.look(node);
        return;
      case 'repeat':
        this.repeat(node);
        return;
    }
  }

  private choice(options: readonly RegexNode[]): void {
    const jumps: Instruction[] = [];
    options.forEach((option, index) => {
      if (index === options.length - 1) {
        this.node(option);
        return;
      }
      const split = this.emit(Op.Split);
      this.node(option);
      jumps.push(this.emit(Op.Jump));
      split.a = this.here;
    });
    for (const jump of jumps) jump.a = this.here;
  }

  private look(node: Extract<RegexNode, { type: 'look' }>): void {
    const mark = this.register(2);
    const alternative = node.negative ? this.emit(Op.Split) : null;
    this.emit(Op.Mark, { a: mark });
    if (node.behind) {
      const { minimum, maximum } = widthOf(node.body);
      this.emit(Op.StepBack, { a: mark + 1, b: minimum, c: Math.min(maximum, infinite) });
      this.node(node.body);
      this.emit(Op.RequirePosition, { a: mark + 1 });
    } else this.node(node.body);
    this.emit(node.negative ? Op.FailBeyond : Op.CommitAndReturn, { a: mark });
    if (alternative !== null) alternative.a = this.here;
  }

  private repeat(node: Extract<RegexNode, { type: 'repeat' }>): void {
    const { body, minimum, maximum, mode } = node;
    const set = singleSet(body);
    if (set !== null && mode !== 'lazy') {
      const op = mode === 'possessive' ? Op.SetRunPossessive : Op.SetRun;
      this.emit(op, { set, a: minimum, b: Math.min(maximum, infinite) });
      return;
    }
    if (mode === 'possessive') {
      this.node({ type: 'atomic', body: { ...node, mode: 'greedy' } });
      return;
    }
    const split = mode === 'lazy' ? Op.SplitLazy : Op.Split;
    if (maximum === 1 && minimum === 0) {
      const skip = this.emit(split);
      this.node(body);
      skip.a = this.here;
      return;
    }
    if (minimum <= 1 && maximum === Infinity) {
      if (minimum === 1) this.node(body);
      this.loop(body, split);
      return;
    }
    this.counted(body, minimum, maximum, split);
  }

  /** `body*`; a turn that takes nothing is the last one. */
  private loop(body: RegexNode, splitOp: Op): void {
    const position = widthOf(body).minimum === 0 ? this.register() : null;
    const start = this.here;
    const split = this.emit(splitOp);
    if (position !== null) this.emit(Op.Save, { a: position });
    this.node(body);
    const unmoved = position === null ? null : this.emit(Op.JumpIfUnmoved, { a: position });
    this.emit(Op.Jump, { a: start });
    split.a = this.here;
    if (unmoved !== null) unmoved.b = this.here;
  }

  /** Repetition with a counter in a register. */
  private counted(body: RegexNode, minimum: number, maximum: number, splitOp: Op): void {
    const counter = this.register();
    const position = this.register();
    this.emit(Op.Store, { a: counter, b: 0 });
    const start = this.here;
    const must = this.emit(Op.JumpIfBelow, { a: counter, c: minimum });
    const may = maximum === Infinity ? null : this.emit(Op.JumpIfBelow, { a: counter, c: maximum });
    const leave = may === null ? null : this.emit(Op.Jump);
    if (may !== null) may.b = this.here;
    const split = this.emit(splitOp);
    must.b = this.here;
    this.emit(Op.Save, { a: position });
    this.emit(Op.Count, { a: counter });
    this.node(body);
    const unmoved = this.emit(Op.JumpIfUnmoved, { a: position });
    this.emit(Op.Jump, { a: start });
    split.a = this.here;
    unmoved.b = this.here;
    if (leave !== null) leave.a = this.here;
  }
}

/** The set of a node that always takes exactly one code point and remembers nothing. */
function singleSet(node: RegexNode): CharSet | null {
  if (node.type === 'set') return new CharSet(node.test);
  if (node.type === 'character') return new CharSet((code) => code === node.code);
  return null;
}

interface Width {
  readonly minimum: number;
  readonly maximum: number;
}

/** How many code points a node takes. */
function widthOf(node: RegexNode): Width {
  switch (node.type) {
    case 'character':
    case 'set':
      return { minimum: 1, maximum: 1 };
    case 'sequence':
      return node.items
        .map(widthOf)
        .reduce(
          (sum, width) => ({ minimum: sum.minimum + width.minimum, maximum: sum.maximum + width.maximum }),
          { minimum: 0, maximum: 0 },
        );
    case 'choice': {
      const widths = node.options.map(widthOf);
      return {
        minimum: Math.min(...widths.map(({ minimum }) => minimum)),
        maximum: Math.max(...widths.map(({ maximum }) => maximum)),
      };
    }
    case 'repeat': {
      const { minimum, maximum } = widthOf(node.body);
      return {
        minimum: minimum * node.minimum,
        maximum: maximum === 0 || node.maximum === 0 ? 0 : maximum * node.maximum,
      };
    }
    case 'group':
    case 'atomic':
      return widthOf(node.body);
    case 'reference':
      return { minimum: 0, maximum: Infinity };
    default:
      return { minimum: 0, maximum: 0 };
  }
}

/** What a match must begin with, or null when it may be empty or begin with anything. */
function firstSet(node: RegexNode): CharSet | null {
  const test = firstTest(node);
  return test === null ? null : new CharSet(test);
}

function firstTest(node: RegexNode): ((code: number) => boolean) | null {
  switch (node.type) {
    case 'character':
      return (code) => code === node.code;
    case 'set':
      return node.test;
    case 'group':
    case 'atomic':
      return firstTest(node.body);
    case 'repeat':
      return node.minimum > 0 ? firstTest(node.body) : null;
    case 'choice': {
      const tests = node.options.map(firstTest);
      if (tests.some((test) => test === null)) return null;
      return (code) => tests.some((test) => test!(code));
    }
    case 'sequence': {
      const first = node.items.find((item) => item.type !== 'anchor' && item.type !== 'look');
      return first === undefined ? null : firstTest(first);
    }
    default:
      return null;
  }
}

function startsAtText(node: RegexNode): boolean {
  switch (node.type) {
    case 'anchor':
      return node.kind === 'text-start';
    case 'sequence':
      return node.items[0] !== undefined && startsAtText(node.items[0]);
    case 'choice':
      return node.options.every(startsAtText);
    case 'group':
    case 'atomic':
      return startsAtText(node.body);
    default:
      return false;
  }
}
