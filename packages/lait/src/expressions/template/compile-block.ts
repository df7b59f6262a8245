import { StepError } from '../../errors/errors.js';
import { isObject, type Value } from '../../values/value.js';
import type { TemplateCompiler } from './compile.js';
import { compilePath, isPlainName } from './compile-path.js';
import type { Evaluate, Frame, Render } from './frame.js';
import { isTruthy, valueHelpers } from './helpers.js';
import type { BlockStatement, Program } from './syntax.js';

type BlockCompiler = (compiler: TemplateCompiler, block: BlockStatement) => Render;

/** The block helpers of Handlebars. */
export const blockHelpers: ReadonlyMap<string, BlockCompiler> = new Map<string, BlockCompiler>([
  ['if', (compiler, block) => conditional(compiler, block, block.program, block.inverse)],
  ['unless', (compiler, block) => conditional(compiler, block, block.inverse, block.program)],
  ['each', each],
  ['with', with_],
]);

/** A block of a helper, else a section over a field. Throws the compiler's error with its place. */
export function compileBlock(compiler: TemplateCompiler, block: BlockStatement): Render {
  const { path } = block;
  if (path.type !== 'PathExpression')
    throw compiler.error(path.loc, 'a block needs the name of a helper or a field');
  if (isPlainName(path) && !compiler.isBlockParameter(path)) {
    const compile = blockHelpers.get(path.original);
    if (compile !== undefined) return compile(compiler, block);
    const helper = valueHelpers.get(path.original);
    if (helper?.condition === true) {
      const holds = compiler.callHelper(path.original, helper, block);
      return choose(
        (frame) => isTruthy(holds(frame)),
        compiler.program(block.program),
        compiler.program(block.inverse),
      );
    }
    if (helper !== undefined)
      throw compiler.error(path.loc, `'${path.original}' is no block: {{ ${path.original} … }}`);
  }
  if (block.params.length > 0 || (block.hash?.pairs.length ?? 0) > 0) {
    throw compiler.unknownHelper(path);
  }
  return section(compiler, block);
}

function choose(holds: (frame: Frame) => boolean, then: Render, otherwise: Render): Render {
  return (frame) => (holds(frame) ? then(frame) : otherwise(frame));
}

/** `{{#if x}}`: what is missing is false here; this is how a template asks whether something exists. */
function conditional(
  compiler: TemplateCompiler,
  block: BlockStatement,
  then: Program | undefined,
  otherwise: Program | undefined,
): Render {
  const name = block.path.type === 'PathExpression' ? block.path.original : 'if';
  compiler.checkArguments(name, block, 1, 1, ['includeZero']);
  const condition = compiler.lenient(block.params[0]!);
  const option = block.hash?.pairs[0];
  const includeZero: Evaluate = option === undefined ? () => false : compiler.strict(option.value);
  return choose(
    (frame) => isTruthy(condition(frame), includeZero(frame) === true),
    compiler.program(then),
    compiler.program(otherwise),
  );
}

/** `{{#each list}}` and `{{#each object}}`; anything else, and nothing to go through, renders `{{else}}`. */
function each(compiler: TemplateCompiler, block: BlockStatement): Render {
  compiler.checkArguments('each', block, 1, 1);
  const collection = compiler.strict(block.params[0]!);
  const body = inside(compiler, block.program);
  const otherwise = compiler.program(block.inverse);
  return (frame) => iterate(collection(frame), frame, body) ?? otherwise(frame);
}

function with_(compiler: TemplateCompiler, block: BlockStatement): Render {
  compiler.checkArguments('with', block, 1, 1);
  const value = compiler.strict(block.params[0]!);
  const body = inside(compiler, block.program);
  const otherwise = compiler.program(block.inverse);
  return (frame) => {
    const context = value(frame);
    return isTruthy(context, true) ? body(enter(frame, context, frame.data, [context])) : otherwise(frame);
  };
}

/** `{{#field}}…{{/field}}`: a list is gone through, false and null render `{{else}}`, other values become `this`. */
function section(compiler: TemplateCompiler, block: BlockStatement): Render {
  const path = block.path as Extract<BlockStatement['path'], { type: 'PathExpression' }>;
  const value = compiler.required(compilePath(compiler, path).evaluate, path);
  const body = inside(compiler, block.program, true);
  const otherwise = compiler.program(block.inverse);
  return (frame) => {
    const context = value(frame);
    if (context === false || context === null) return otherwise(frame);
    if (context === true) return body({ ...frame, outer: frame, blockParameters: [context] });
    if (Array.isArray(context)) return iterate(context, frame, body) ?? otherwise(frame);
    return body(enter(frame, context, frame.data, [context]));
  };
}

/** Compiles what lies inside a new context, with the block's parameters. */
function inside(compiler: TemplateCompiler, program: Program | undefined, section = false): Render {
  compiler.contexts.push({ parameters: program?.blockParams ?? [], section });
  try {
    return compiler.program(program);
  } finally {
    compiler.contexts.pop();
  }
}

function enter(frame: Frame, context: Value, data: Frame['data'], blockParameters: readonly Value[]): Frame {
  const { scope, work } = frame;
  return { scope, work, root: false, context, parent: frame, outer: frame, data, blockParameters };
}

/** Renders the body once per element; undefined when there is none. */
function iterate(collection: Value, frame: Frame, body: Render): string | undefined {
  const entries: [string | number, Value][] = Array.isArray(collection)
    ? collection.map((item, index) => [index, item])
    : isObject(collection)
      ? Object.entries(collection)
      : [];
  if (entries.length === 0) return undefined;
  frame.work.iterationsLeft -= entries.length;
  if (frame.work.iterationsLeft < 0) {
    throw new StepError({
      code: 'template_too_much_work',
      message: 'the template goes through too many elements',
    });
  }
  let text = '';
  const last = entries.length - 1;
  entries.forEach(([key, item], index) => {
    const data = { index, key, first: index === 0, last: index === last, parent: frame.data };
    text += body(enter(frame, item, data, [item, key]));
  });
  return text;
}
