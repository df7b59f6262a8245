import { identity } from '../compile/access.js';
import type { Context } from '../compile/context.js';
import { functionKey, lookUp, type Scope } from '../compile/scope.js';
import { strict } from '../compile/strict.js';
import { compiledRegex, eachMatch, hasMatch, type Regex, Subject } from '../regex/regex.js';
import type { Node } from '../syntax/ast.js';
import { add } from '../values/arithmetic.js';
import { describe } from '../values/describe.js';
import type { JsonArray, JsonObject, JsonValue } from '../values/json.js';
import { typeName } from '../values/json.js';
import { setKey } from '../values/object.js';
import { raise } from '../values/raise.js';
import { type Builtin, type BuiltinTable, valueBuiltin, valueTable } from './builtin.js';

/** Checks the text, the pattern (a string, or an array of pattern and flags) and the flags. */
function prepare(input: JsonValue, pattern: JsonValue, flags: JsonValue): { regex: Regex; subject: Subject } {
  let [source, modifiers] = [pattern, flags];
  if (Array.isArray(pattern) && flags === null) {
    if (pattern.length > 0) [source, modifiers] = [pattern[0]!, pattern[1] ?? null];
  }
  if (typeof source !== 'string' && source === pattern && flags === null) {
    return raise(`${typeName(source)} not a string or array`);
  }
  if (typeof input !== 'string') return raise(`${describe(input)} cannot be matched, as it is not a string`);
  if (typeof source !== 'string') return raise(`${describe(source)} is not a string`);
  if (modifiers !== null && typeof modifiers !== 'string')
    return raise(`${describe(modifiers)} is not a string`);
  return { regex: compiledRegex(source as string, modifiers ?? ''), subject: new Subject(input) };
}

/** One capture as `match` shows it. A match of nothing shows all its captures as nothing. */
function captureObject(subject: Subject, found: Int32Array, group: number, name: string | null): JsonObject {
  const start = found[group * 2]!;
  const end = found[group * 2 + 1]!;
  if (start === -1 || end === -1) return { offset: -1, string: null, length: 0, name };
  if (found[0] === found[1]) return { offset: found[0]!, string: '', length: 0, name };
  if (start === end) return { offset: start, string: '', length: 0, name };
  return { offset: start, length: end - start, string: subject.slice(start, end), name };
}

function matchAll(input: JsonValue, pattern: JsonValue, flags: JsonValue, context: Context): JsonArray {
  const { regex, subject } = prepare(input, pattern, flags);
  const matches: JsonArray = [];
  eachMatch(regex, subject, context, (found) => {
    const [start, end] = found as unknown as [number, number];
    matches.push({
      offset: start,
      length: end - start,
      string: subject.slice(start, end),
      captures: regex.program.groupNames.map((name, index) => captureObject(subject, found, index + 1, name)),
    });
  });
  return matches;
}

function test(input: JsonValue, pattern: JsonValue, flags: JsonValue, context: Context): boolean {
  const { regex, subject } = prepare(input, pattern, flags);
  return hasMatch(regex, subject, context);
}

/** The named captures of a match object. */
function namedCaptures(match: JsonValue): JsonObject {
  const captures: JsonObject = {};
  for (const capture of (match as { captures: JsonObject[] }).captures) {
    if (typeof capture.name === 'string') setKey(captures, capture.name, capture.string ?? null);
  }
  return captures;
}

/** What stands between the matches. */
function piecesBetween(regex: Regex, subject: Subject, context: Context): string[] {
  const pieces: string[] = [];
  let from = 0;
  eachMatch(regex, subject, context, (found) => {
    pieces.push(subject.slice(from, found[0]!));
    from = found[1]!;
  });
  pieces.push(subject.slice(from, subject.length));
  return pieces;
}

function splits(input: JsonValue, pattern: JsonValue, flags: JsonValue, context: Context): JsonArray {
  const { regex, subject } = prepare(input, pattern, add(flags, 'g', context));
  return piecesBetween(regex, subject, context);
}

/** `sub` with the same text in every place. */
function replaced(
  input: JsonValue,
  pattern: JsonValue,
  flags: JsonValue,
  replacement: string,
  context: Context,
): JsonValue {
  const { regex, subject } = prepare(input, pattern, flags);
  return piecesBetween(regex, subject, context).join(replacement);
}

/** The text that an argument is, also where a function hands it on; null for what must be computed. */
function literalText(node: Node, scope: Scope): string | null {
  if (node.type === 'literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type !== 'call' || node.arguments.length > 0) return null;
  const binding = lookUp(scope, functionKey(node.name, 0));
  return binding?.kind === 'argument' ? literalText(binding.node, binding.scope) : null;
}

/** A place that `sub` replaces. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly captures: JsonObject;
}

function edits(input: JsonValue, pattern: JsonValue, flags: JsonValue, context: Context): JsonArray {
  const { regex, subject } = prepare(input, pattern, flags);
  const { groupNames } = regex.program;
  const result: Edit[] = [];
  eachMatch(regex, subject, context, (found) => {
    const captures: JsonObject = {};
    groupNames.forEach((name, index) => {
      if (name !== null) setKey(captures, name, captureObject(subject, found, index + 1, name).string!);
    });
    result.push({ start: found[0]!, end: found[1]!, captures });
  });
  return result as unknown as JsonArray;
}

/**
 * The state of `sub`: one growing text for each output of the replacement. It travels through the compiled loop in
 * the place of a value, and never leaves it.
 */
class Substitution {
  private readonly subject: Subject;
  private readonly texts: (JsonValue | undefined)[] = [];
  private previous = 0;

  constructor(private readonly text: JsonValue) {
    this.subject = new Subject(typeof text === 'string' ? text : '');
  }

  replace(edit: Edit, replacements: JsonArray, context: Context): void {
    const gap = this.subject.slice(this.previous, edit.start);
    replacements.forEach((replacement, index) => {
      this.texts[index] = add(this.texts[index] ?? null, add(gap, replacement, context), context);
    });
    this.previous = edit.end;
  }

  finish(): JsonArray {
    if (this.texts.length === 0) return [this.text];
    const rest = this.subject.slice(this.previous, this.subject.length);
    return this.texts.map((text) => `${text as string}${rest}`);
  }
}

function asSubstitution(value: JsonValue): Substitution {
  const state: unknown = value;
  return state instanceof Substitution ? state : raise('Cannot substitute in what an error has ended');
}

/** Regular expressions. */
export const regexBuiltins = (definitions: () => ReadonlyMap<string, Builtin>): BuiltinTable => [
  [
    'sub/3',
    {
      compile: (call) => {
        const { compiler, node, scope, height } = call;
        const [pattern, replacement, flags] = node.arguments as [Node, Node, Node];
        const text = literalText(replacement, scope);
        if (text === null) return definitions().get('sub/3')!.compile(call);
        const operands = [pattern, flags].map((argument) => compiler.compile(argument, scope, height));
        return strict(
          [...operands, identity],
          ([re, modifiers, input], context) => replaced(input!, re!, modifiers!, text, context),
          node.range,
        );
      },
    },
  ],
  ...valueTable({
    'test/1': (input, [pattern], context) => test(input, pattern!, null, context),
    'test/2': (input, [pattern, flags], context) => test(input, pattern!, flags!, context),
    'internal::match/2': (input, [pattern, flags], context) => matchAll(input, pattern!, flags!, context),
    'internal::splits/2': (input, [pattern, flags], context) => splits(input, pattern!, flags!, context),
    'internal::captureObject/0': namedCaptures,
  }),
  [
    'internal::edits/2',
    valueBuiltin((input, [pattern, flags], context) => edits(input, pattern!, flags!, context), false),
  ],
  ['internal::captured/0', valueBuiltin((input) => (input as unknown as Edit).captures, false)],
  [
    'internal::substitution/1',
    valueBuiltin((_input, [text]) => new Substitution(text!) as unknown as JsonValue, false),
  ],
  [
    'internal::substitute/2',
    valueBuiltin((input, [edit, replacements], context) => {
      asSubstitution(input).replace(edit as unknown as Edit, replacements as JsonArray, context);
      return input;
    }, false),
  ],
  ['internal::substituted/0', valueBuiltin((input) => asSubstitution(input).finish(), false)],
];
