import type { Value } from '../../values/value.js';
import type { ReferenceRoot } from '../expression.js';
import type { Scope } from '../scope.js';
import type { TemplateCompiler } from './compile.js';
import type { Evaluate, Frame } from './frame.js';
import { explainMissing, member } from './member.js';
import type { PathExpression } from './syntax.js';

/** The variables at the root of every template. Source: steps seed, テンプレート. */
const variables: ReadonlyMap<string, { root: ReferenceRoot; read(scope: Scope): Value }> = new Map([
  ['input', { root: 'value', read: (scope: Scope) => scope.value }],
  ['steps', { root: 'steps', read: (scope: Scope) => scope.allSteps() }],
  ['inputs', { root: 'inputs', read: (scope: Scope) => scope.inputs }],
  ['loop', { root: 'loop', read: (scope: Scope) => scope.loop as unknown as Value }],
]);

const variableNames: readonly string[] = [...variables.keys()];

/** Compiles a path such as `input.city`, `this`, `../x`, `@index` or a block parameter. */
export function compilePath(compiler: TemplateCompiler, path: PathExpression): { evaluate: Evaluate } {
  const { parts, depth } = path;
  if (path.data)
    return parts[0] === 'root' ? atRoot(compiler, path, parts.slice(1)) : iterationData(compiler, path);
  const parameter = depth === 0 && !isScoped(path) ? blockParameter(compiler, path) : undefined;
  if (parameter !== undefined) return parameter;
  if (compiler.contexts.some(({ section }) => section)) return dynamic(compiler, path);
  const level = compiler.contexts.length - 1 - depth;
  if (level < 0)
    throw compiler.error(
      path.loc,
      `'${path.original}' leads out of the template: there is nothing around it`,
    );
  if (level === 0) return atRoot(compiler, path, parts);
  const name = depth === 0 ? 'this' : '..'.concat('/..'.repeat(depth - 1));
  return inContext(compiler, path, name, parts, (frame) => climb(frame, depth).context);
}

/** `this.x` and `./x` mean a field, never a helper or a block parameter. */
export function isScoped(path: PathExpression): boolean {
  return /^\.|^this\b/.test(path.original);
}

/** A name alone: it may be a helper. */
export function isPlainName(path: PathExpression): boolean {
  return (
    !path.data &&
    path.depth === 0 &&
    path.parts.length === 1 &&
    !isScoped(path) &&
    path.original === path.parts[0]
  );
}

function climb(frame: Frame, depth: number): Frame {
  let at = frame;
  for (let step = 0; step < depth; step++) at = at.parent!;
  return at;
}

/** Inside `{{#field}}` only the value of the field tells what the names mean. */
function dynamic(compiler: TemplateCompiler, path: PathExpression): { evaluate: Evaluate } {
  const [name, ...rest] = path.parts;
  const start = (frame: Frame): Value => {
    let at: Frame | undefined = frame;
    for (let step = 0; step < path.depth; step++) at = at?.parent;
    if (at === undefined) return undefined;
    if (!at.root) return name === undefined ? at.context : member(at.context, name);
    return name === undefined ? allVariables(at) : variables.get(name)?.read(at.scope);
  };
  return inContext(
    compiler,
    path,
    path.depth > 0 ? `..${name === undefined ? '' : `/${name}`}` : (name ?? 'this'),
    rest,
    start,
  );
}

function allVariables({ scope }: Frame): Value {
  return Object.fromEntries([...variables].map(([key, { read }]) => [key, read(scope) ?? null]));
}

function inContext(
  compiler: TemplateCompiler,
  path: PathExpression,
  name: string,
  parts: readonly string[],
  start: (frame: Frame) => Value,
): { evaluate: Evaluate } {
  compiler.explainWith(path, (frame) => explainMissing(start(frame), name, parts));
  if (parts.length === 0) return { evaluate: start };
  return {
    evaluate: (frame) => {
      let value = start(frame);
      for (const part of parts) value = member(value, part);
      return value;
    },
  };
}

function atRoot(
  compiler: TemplateCompiler,
  path: PathExpression,
  parts: readonly string[],
): { evaluate: Evaluate } {
  const range = compiler.range(path.loc);
  const [name, ...rest] = parts;
  if (name === undefined) {
    for (const { root } of variables.values()) compiler.references.push({ root, path: [], ...range });
    return inContext(compiler, path, path.original, [], allVariables);
  }
  const variable = variables.get(name);
  if (variable === undefined) {
    compiler.unknownVariables.push({ name, ...range });
    const known = `a template knows ${variableNames.join(', ')}`;
    compiler.explainWith(path, () => `there is no variable '${name}': ${known}`);
    return { evaluate: () => undefined };
  }
  compiler.references.push({ root: variable.root, path: rest, ...range });
  if (variable.root === 'steps' && rest.length > 0)
    return recordedStep(compiler, path, rest[0]!, rest.slice(1));
  return inContext(compiler, path, name, rest, ({ scope }) => variable.read(scope));
}

/** `steps.<id>…` is a look-up: the object of all steps is never built for it. */
function recordedStep(
  compiler: TemplateCompiler,
  path: PathExpression,
  id: string,
  rest: readonly string[],
): { evaluate: Evaluate } {
  const read = ({ scope }: Frame): Value => (scope.hasStep(id) ? (scope.step(id) ?? null) : undefined);
  const compiled = inContext(compiler, path, `steps.${id}`, rest, read);
  compiler.explainWith(path, (frame) =>
    frame.scope.hasStep(id)
      ? explainMissing(read(frame), `steps.${id}`, rest)
      : `step '${id}' has no recorded value: it was skipped, has not run yet, or does not exist`,
  );
  return compiled;
}

function blockParameter(
  compiler: TemplateCompiler,
  path: PathExpression,
): { evaluate: Evaluate } | undefined {
  const [name, ...rest] = path.parts;
  if (name === undefined) return undefined;
  const level = compiler.contexts.findLastIndex(({ parameters }) => parameters.includes(name));
  if (level === -1) return undefined;
  const up = compiler.contexts.length - 1 - level;
  const index = compiler.contexts[level]!.parameters.indexOf(name);
  return inContext(compiler, path, name, rest, (frame) => {
    let at = frame;
    for (let step = 0; step < up; step++) at = at.outer!;
    return at.blockParameters[index];
  });
}

function iterationData(compiler: TemplateCompiler, path: PathExpression): { evaluate: Evaluate } {
  const [name, ...rest] = path.parts;
  if (rest.length > 0 || (name !== 'index' && name !== 'key' && name !== 'first' && name !== 'last')) {
    const known = '@index, @key, @first, @last and @root';
    throw compiler.error(path.loc, `unknown data variable '${path.original}': there are ${known}`);
  }
  compiler.explainWith(path, () => `${path.original} exists only inside {{#each}}`);
  return {
    evaluate: (frame) => {
      let data = frame.data;
      for (let step = 0; step < path.depth; step++) data = data?.parent;
      return data?.[name];
    },
  };
}
