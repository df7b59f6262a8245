import type { Context } from '../compile/context.js';
import { isWord, otherCases } from './char-set.js';
import { type Instruction, Op, type RegexProgram } from './program.js';
import type { AnchorKind } from './syntax.js';

export interface MatchOptions {
  /** Prefers the longest match to the first one. */
  readonly longest: boolean;
  /** Matches of nothing do not count. */
  readonly notEmpty: boolean;
}

/** Kinds of entries on the backtrack stack; each entry takes four slots: kind and three values. */
const resume = 0;
const restore = 1;
const shorten = 2;
const stepBack = 3;
const entrySize = 4;

/** How often the budget is charged, and what an instruction costs of it. */
const stepsPerCharge = 8192;
const instructionsPerStep = 2;
const newline = 10;

/**
 * Backtracking over code points with its stack on the heap. It pays for its work from the program's budget, so a
 * pattern that explodes ends like any other endless evaluation.
 */
export class Matcher {
  private stack = new Int32Array(1024);
  private top = 0;
  private readonly registers: Int32Array;
  private best: Int32Array | null = null;
  private work = 0;
  private searchStart = 0;

  constructor(
    private readonly program: RegexProgram,
    private readonly text: Int32Array,
    private readonly options: MatchOptions,
    private readonly context: Context,
  ) {
    this.registers = new Int32Array(program.registers);
  }

  /** Group positions of the first match at or after `from`, as start and end pairs; -1 for unused groups. */
  search(from: number): Int32Array | null {
    const { text, program } = this;
    this.searchStart = from;
    for (let start = from; start <= text.length; start++) {
      if (program.isAnchored && start > 0) return null;
      if (program.first !== null) {
        const begin = start;
        while (start < text.length && !program.first.has(text[start]!)) start++;
        this.pay(start - begin);
        if (start === text.length) return null;
      }
      const found = this.matchAt(start);
      if (found !== null) return found;
    }
    return null;
  }

  private pay(instructions: number): void {
    this.work += instructions;
    if (this.work < stepsPerCharge) return;
    this.context.charge(Math.ceil(this.work / instructionsPerStep));
    this.work = 0;
  }

  private push(kind: number, a: number, b: number, c: number): void {
    if (this.top + entrySize > this.stack.length) {
      const larger = new Int32Array(this.stack.length * 2);
      larger.set(this.stack);
      this.stack = larger;
    }
    this.stack[this.top] = kind;
    this.stack[this.top + 1] = a;
    this.stack[this.top + 2] = b;
    this.stack[this.top + 3] = c;
    this.top += entrySize;
  }

  /** Changes a register so that backtracking changes it back. */
  private set(register: number, value: number): void {
    this.push(restore, register, this.registers[register]!, 0);
    this.registers[register] = value;
  }

  private matchAt(start: number): Int32Array | null {
    const { registers } = this;
    registers.fill(-1);
    registers[0] = start;
    this.top = 0;
    this.best = null;
    this.run(start);
    return this.best;
  }

  /** Runs until the first match, or the longest one, is in `best`. */
  private run(start: number): void {
    const { instructions } = this.program;
    const { text, registers } = this;
    let position = start;
    let pc = 0;
    let steps = 0;
    for (;;) {
      if (++steps === stepsPerCharge) {
        this.pay(steps);
        steps = 0;
      }
      const instruction = instructions[pc]!;
      let ok = true;
      pc++;
      switch (instruction.op) {
        case Op.Character:
          ok = text[position] === instruction.a;
          position++;
          break;
        case Op.Set:
          ok = position < text.length && instruction.set!.has(text[position]!);
          position++;
          break;
        case Op.SetRun:
        case Op.SetRunPossessive: {
          const end = this.runOf(instruction, position);
          ok = end - position >= instruction.a;
          if (ok && instruction.op === Op.SetRun && end - position > instruction.a) {
            this.push(shorten, pc, position + instruction.a, end - 1);
          }
          position = end;
          break;
        }
        case Op.Split:
          this.push(resume, instruction.a, position, 0);
          break;
        case Op.SplitLazy:
          this.push(resume, pc, position, 0);
          pc = instruction.a;
          break;
        case Op.Jump:
          pc = instruction.a;
          break;
        case Op.Save:
          this.set(instruction.a, position);
          break;
        case Op.Store:
          this.set(instruction.a, instruction.b);
          break;
        case Op.Count:
          this.set(instruction.a, registers[instruction.a]! + 1);
          break;
        case Op.JumpIfBelow:
          if (registers[instruction.a]! < instruction.c) pc = instruction.b;
          break;
        case Op.JumpIfUnmoved:
          if (registers[instruction.a] === position) pc = instruction.b;
          break;
        case Op.Anchor:
          ok = this.isAt(instruction.anchor!, position);
          break;
        case Op.Reference: {
          const end = this.afterReference(instruction, position);
          ok = end !== -1;
          if (ok) position = end;
          break;
        }
        case Op.Mark:
          // The height itself must not count the entries that remember the old values.
          this.set(instruction.a + 1, position);
          this.set(instruction.a, this.top + entrySize);
          break;
        case Op.Commit:
          this.forgetAlternatives(registers[instruction.a]!);
          break;
        case Op.CommitAndReturn:
          position = registers[instruction.a + 1]!;
          this.forgetAlternatives(registers[instruction.a]!);
          break;
        case Op.FailBeyond:
          this.unwind(registers[instruction.a]! - 3 * entrySize);
          ok = false;
          break;
        case Op.StepBack: {
          const target = position - instruction.b;
          ok = target >= 0;
          if (ok && instruction.b < instruction.c) this.push(stepBack, pc - 1, position, instruction.b + 1);
          position = target;
          break;
        }
        case Op.RequirePosition:
          ok = position === registers[instruction.a];
          break;
        case Op.Match:
          ok = false;
          if (this.options.notEmpty && position === registers[0]) break;
          if (this.best === null || position > this.best[1]!) {
            this.best = registers.slice();
            this.best[1] = position;
          }
          if (!this.options.longest) {
            this.pay(steps);
            return;
          }
          break;
      }
      if (ok) continue;
      // Back to the last alternative.
      for (;;) {
        if (this.top === 0) {
          this.pay(steps);
          return;
        }
        const { stack } = this;
        this.top -= entrySize;
        const kind = stack[this.top]!;
        const a = stack[this.top + 1]!;
        const b = stack[this.top + 2]!;
        const c = stack[this.top + 3]!;
        if (kind === restore) {
          registers[a] = b;
          continue;
        }
        pc = a;
        if (kind === resume) position = b;
        else if (kind === shorten) {
          position = c;
          if (c > b) this.push(shorten, a, b, c - 1);
        } else {
          const { c: maximum } = instructions[a]!;
          position = b - c;
          pc = a + 1;
          if (position < 0) continue;
          if (c < maximum) this.push(stepBack, a, b, c + 1);
        }
        break;
      }
    }
  }

  /** Where a run of a set's members that starts at `position` ends. */
  private runOf({ set, b: maximum }: Instruction, position: number): number {
    const { text } = this;
    const limit = Math.min(text.length, position + maximum);
    let end = position;
    while (end < limit && set!.has(text[end]!)) end++;
    this.pay(end - position);
    return end;
  }

  private unwind(height: number): void {
    while (this.top > height) {
      this.top -= entrySize;
      if (this.stack[this.top] === restore) {
        this.registers[this.stack[this.top + 1]!] = this.stack[this.top + 2]!;
      }
    }
  }

  /** Removes alternatives above a height, keeping what restores registers. */
  private forgetAlternatives(height: number): void {
    const { stack } = this;
    let kept = height;
    for (let entry = height; entry < this.top; entry += entrySize) {
      if (stack[entry] !== restore) continue;
      stack.copyWithin(kept, entry, entry + entrySize);
      kept += entrySize;
    }
    this.top = kept;
  }

  private isAt(anchor: AnchorKind, position: number): boolean {
    const { text } = this;
    switch (anchor) {
      case 'text-start':
        return position === 0;
      case 'text-end':
        return position === text.length;
      case 'text-end-or-newline':
        return position === text.length || (position === text.length - 1 && text[position] === newline);
      case 'line-start':
        return position === 0 || (text[position - 1] === newline && position < text.length);
      case 'line-end':
        return position === text.length || text[position] === newline;
      case 'search-start':
        return position === this.searchStart;
      default: {
        const before = position > 0 && isWord(text[position - 1]!);
        const after = position < text.length && isWord(text[position]!);
        return (before !== after) === (anchor === 'word-boundary');
      }
    }
  }

  /** The position after the text of the first used group, or -1 when it does not stand here. */
  private afterReference({ groups, ignoreCase }: Instruction, position: number): number {
    const { text, registers } = this;
    const group = groups!.find((index) => registers[index * 2 + 1] !== -1 && registers[index * 2] !== -1);
    if (group === undefined) return -1;
    const start = registers[group * 2]!;
    const length = registers[group * 2 + 1]! - start;
    if (position + length > text.length) return -1;
    this.pay(length);
    for (let offset = 0; offset < length; offset++) {
      const a = text[start + offset]!;
      const b = text[position + offset]!;
      if (a !== b && !(ignoreCase && otherCases(a).includes(b))) return -1;
    }
    return position + length;
  }
}
