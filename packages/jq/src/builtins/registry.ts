import { callBinding } from '../compile/call.js';
import { defaultLimits } from '../limits.js';
import type { FunctionDefinition } from '../syntax/ast.js';
import { parse } from '../syntax/parser.js';
import { arrayBuiltins } from './arrays.js';
import type { Builtin } from './builtin.js';
import { coreBuiltins } from './core.js';
import { dateBuiltins } from './dates.js';
import { definitions } from './definitions.js';
import { mathBuiltins } from './math.js';
import { objectBuiltins } from './objects.js';
import { pathBuiltins } from './paths.js';
import { regexBuiltins } from './regex.js';
import { streamBuiltins } from './streams.js';
import { stringBuiltins } from './strings.js';

/** Built-ins of jq that are left out on purpose, with what to say about each. */
export const refused: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'env/0': 'the environment is not visible to programs: pass values as variables',
    'input/0': 'a program has one input: pass more values as variables',
    'inputs/0': 'a program has one input: pass more values as variables',
    'input_filename/0': 'a program does not read files',
    'halt/0': 'a program cannot end its host: use error(…)',
    'halt_error/0': 'a program cannot end its host: use error(…)',
    'halt_error/1': 'a program cannot end its host: use error(…)',
    'modulemeta/0': 'modules are not supported',
    'get_search_list/0': 'modules are not supported',
    'get_jq_origin/0': 'a program does not know where it runs',
    'get_prog_origin/0': 'a program does not know where it runs',
  }),
);

/** Marks a definition's private helpers, which `builtins` does not list. */
const isInternal = (key: string): boolean => key.startsWith('internal::') || key.startsWith('_');

let table: ReadonlyMap<string, Builtin> | null = null;

function builtinTable(): ReadonlyMap<string, Builtin> {
  table ??= new Map([
    ...definedBuiltins(),
    ...coreBuiltins(listBuiltins),
    ...mathBuiltins,
    ...stringBuiltins,
    ...arrayBuiltins,
    ...objectBuiltins,
    ...pathBuiltins,
    ...regexBuiltins(definedBuiltins),
    ...dateBuiltins,
    ...streamBuiltins(definedBuiltins),
  ]);
  return table;
}

/** The built-in of a key `name/arity`. */
export function findBuiltin(key: string): Builtin | undefined {
  return builtinTable().get(key);
}

/** Every public built-in, as `builtins` lists them. */
export function listBuiltins(): string[] {
  return [...builtinTable().keys()].filter((key) => !isInternal(key)).sort();
}

let defined: ReadonlyMap<string, Builtin> | null = null;

/** The built-ins written in jq. */
function definedBuiltins(): ReadonlyMap<string, Builtin> {
  defined ??= new Map(
    splitDefinitions(definitions).map(([key, source]) => {
      let definition: FunctionDefinition | null = null;
      const builtin: Builtin = {
        compile: ({ compiler, node, scope, height }) => {
          definition ??= parseDefinition(source);
          const binding = compiler.builtinBinding(key, definition);
          return callBinding(compiler, key, binding, node, scope, height);
        },
      };
      return [key, builtin];
    }),
  );
  return defined;
}

/**
 * Finds each definition's key without parsing it: most programs use few of them. No regular expressions, which cost
 * more than they save where they run once.
 */
function splitDefinitions(text: string): [key: string, source: string][] {
  const found: [key: string, source: string][] = [];
  for (let start = text.indexOf('def '); start !== -1; ) {
    const next = text.indexOf('\ndef ', start);
    const source = text.slice(start, next === -1 ? text.length : next);
    const head = source.slice('def '.length, source.indexOf(':'));
    const open = head.indexOf('(');
    const name = open === -1 ? head : head.slice(0, open);
    found.push([`${name}/${open === -1 ? 0 : head.split(';').length}`, source]);
    start = next === -1 ? -1 : next + 1;
  }
  return found;
}

function parseDefinition(source: string): FunctionDefinition {
  const node = parse(source, defaultLimits);
  if (node.type !== 'def') throw new Error(`Not a definition: ${source}`);
  return node.definition;
}
