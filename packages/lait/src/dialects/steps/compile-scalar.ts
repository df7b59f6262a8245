import type { Expression } from '../../expressions/expression.js';
import { compileJq } from '../../expressions/jq.js';
import { ExpressionSyntaxError } from '../../expressions/syntax-error.js';
import { compileTemplate } from '../../expressions/template.js';
import type { DiagnosticCode } from '../../plan/diagnostic-codes.js';
import type { FieldType } from '../../plan/fields.js';
import { didYouMean } from '../../plan/suggest.js';
import { describe, type SourceNode, shorten } from '../../plan/yaml/source-node.js';
import { ambiguity } from './ambiguous-text.js';
import type { FieldCompiler } from './compile-fields.js';
import type { Place } from './place.js';
import { placeInScalar } from './scalar-offsets.js';

interface ExpressionForm<T> {
  /** What is wanted, with its article. */
  what: string;
  /** The code of a problem in it. */
  code: DiagnosticCode;
  compile(source: string): T;
}

export function compileJqField(node: SourceNode, place: Place, compiler: FieldCompiler) {
  return compileExpression(node, place, compiler, {
    what: 'a jq expression',
    code: 'jq_syntax',
    compile: compileJq,
  });
}

export function compileTemplateField(
  type: Extract<FieldType, { type: 'template' }>,
  node: SourceNode,
  place: Place,
  compiler: FieldCompiler,
) {
  const template = compileExpression(node, place, compiler, {
    what: 'text (a template)',
    code: 'template_syntax',
    compile: compileTemplate,
  });
  if (template !== undefined && type.notBlank === true && template.source.trim() === '') {
    compiler.add(
      { code: 'bad_value', message: `${place.field} must not be blank`, range: node.range },
      place,
    );
  }
  return template;
}

function compileExpression<T extends Expression>(
  node: SourceNode,
  place: Place,
  compiler: FieldCompiler,
  { what, code, compile }: ExpressionForm<T>,
): T | undefined {
  if (node.type !== 'scalar' || typeof node.value !== 'string') return compiler.wrongType(node, place, what);
  const placeInside = (start: number, end: number) =>
    placeInScalar(node, compiler.problems.source.text, start, end);
  try {
    const expression = compiler.compiledOnce(node.value, compile);
    compiler.options.origins.set(expression, (start, end) =>
      compiler.problems.position(placeInside(start, end)),
    );
    return expression;
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    const message = `${place.field}: ${error.message}`;
    compiler.add(
      { code, message, hint: unknownName(error), range: placeInside(error.start, error.end) },
      place,
    );
    return undefined;
  }
}

export function compileText(
  type: Extract<FieldType, { type: 'text' }>,
  node: SourceNode,
  place: Place,
  compiler: FieldCompiler,
): string | undefined {
  if (node.type !== 'scalar' || typeof node.value !== 'string')
    return compiler.wrongType(node, place, 'text');
  const { value, range } = node;
  const rule =
    type.notBlank === true && value.trim() === ''
      ? 'must not be blank'
      : type.pattern !== undefined && !new RegExp(type.pattern, 'u').test(value)
        ? `must be ${type.patternHint ?? `text like ${type.pattern}`}, not '${shorten(value)}'`
        : undefined;
  if (rule !== undefined)
    compiler.add({ code: 'bad_value', message: `${place.field} ${rule}`, range }, place);
  const ambiguous = ambiguity(node);
  if (ambiguous !== undefined) {
    const message = `${place.field}: ${ambiguous}`;
    compiler.add({ code: 'ambiguous_scalar', severity: 'warning', message, range }, place);
  }
  return value;
}

export function compileNumber(
  type: Extract<FieldType, { type: 'integer' | 'number' }>,
  node: SourceNode,
  place: Place,
  compiler: FieldCompiler,
) {
  const { minimum, maximum } = type;
  const what = type.type === 'integer' ? 'a whole number' : 'a number';
  if (node.type !== 'scalar' || typeof node.value !== 'number') return compiler.wrongType(node, place, what);
  const { value, range, written } = node;
  if (!Number.isFinite(value) || (type.type === 'integer' && !Number.isInteger(value))) {
    return compiler.wrongType(node, place, what);
  }
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum)) {
    const limits =
      minimum !== undefined && maximum !== undefined
        ? `from ${minimum} to ${maximum}`
        : minimum !== undefined
          ? `at least ${minimum}`
          : `at most ${maximum}`;
    compiler.add(
      { code: 'out_of_range', message: `${place.field} must be ${limits}, not ${shorten(written)}`, range },
      place,
    );
    return undefined;
  }
  return value;
}

export function compileChoice(
  values: readonly (string | number | boolean)[],
  node: SourceNode,
  place: Place,
  compiler: FieldCompiler,
) {
  if (node.type === 'scalar' && values.some((value) => value === node.value)) return node.value;
  const only = values.map((value) => String(value)).join(', ');
  const message = `${place.field} must be ${values.length === 1 ? only : `one of ${only}`}, not ${describe(node)}`;
  const hint = node.type === 'scalar' ? didYouMean(String(node.value), values.map(String)) : undefined;
  compiler.add({ code: 'bad_value', message, hint, range: node.range }, place);
  return undefined;
}

/** What was probably meant by a name that an expression does not know. */
export function unknownName({ unknown }: ExpressionSyntaxError): string | undefined {
  return unknown && didYouMean(unknown.name, unknown.known);
}
