import { constant } from './constant.js';
import type { Expression } from './expression.js';
import type { Scope } from './scope.js';
import { ExpressionSyntaxError } from './syntax-error.js';
import { TemplateCompiler, type UnknownVariable } from './template/compile.js';
import { Offsets, parseTemplate } from './template/parse.js';

/** A template with what lint has to say about it. */
export interface TemplateText extends Expression<string> {
  /** Names at its root that no template knows. */
  readonly unknownVariables: readonly UnknownVariable[];
  /** Places that ask not to be escaped, though nothing ever is. */
  readonly unescaped: readonly { start: number; end: number }[];
}

/** Blocks and parentheses nested deeper than this are refused. */
const deepest = 100;
const mostIterations = 10_000_000;
const mostCharacters = 16 * 1024 * 1024;

/**
 * Compiles a Handlebars template: strict, no escaping, values in their text form, own properties only. A template
 * without placeholders becomes a constant. Throws an `ExpressionSyntaxError` with the place; rendering throws a
 * `StepError` (`template_missing_value`, `template_failed`) that shows the placeholder. Source: steps seed, テンプレート.
 */
export function compileTemplate(source: string): Expression<string> | TemplateText {
  if (!source.includes('{{')) return constant(source, source);
  checkDepth(source);
  const program = parseTemplate(source);
  if (program.body.every(({ type }) => type === 'ContentStatement' || type === 'CommentStatement')) {
    const text = program.body.map((part) => (part.type === 'ContentStatement' ? part.value : '')).join('');
    return constant(text, source);
  }
  const compiler = new TemplateCompiler(source, new Offsets(source));
  const render = compiler.program(program);
  return {
    language: 'template',
    source,
    references: compiler.references,
    unknownVariables: compiler.unknownVariables,
    unescaped: compiler.unescaped,
    evaluate(scope: Scope): string {
      return render({
        scope,
        work: { iterationsLeft: mostIterations, charactersLeft: mostCharacters },
        root: true,
        context: undefined,
        parent: undefined,
        outer: undefined,
        data: undefined,
        blockParameters: [],
      });
    },
  };
}

/** The parser and everything behind it walk the tree: too deep ones must not reach them. */
function checkDepth(source: string): void {
  let blocks = 0;
  let parentheses = 0;
  for (const match of source.matchAll(/\{\{~?[#^/]?|\}\}|[()]/g)) {
    const [text] = match;
    if (text.startsWith('{{')) {
      parentheses = 0;
      if (text.endsWith('#') || text.endsWith('^')) blocks += 1;
      else if (text.endsWith('/')) blocks -= 1;
    } else if (text === '(') parentheses += 1;
    else if (text === ')') parentheses -= 1;
    else parentheses = 0;
    if (blocks > deepest || parentheses > deepest) {
      throw new ExpressionSyntaxError(
        `the template is nested deeper than ${deepest} levels`,
        match.index,
        match.index + text.length,
      );
    }
  }
}
