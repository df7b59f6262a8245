import { StepError } from '../../errors/errors.js';
import { textOf } from '../../values/text.js';
import type { Value } from '../../values/value.js';
import type { Reference } from '../expression.js';
import { ExpressionSyntaxError } from '../syntax-error.js';
import { blockHelpers, compileBlock } from './compile-block.js';
import { compilePath, isPlainName, isScoped } from './compile-path.js';
import type { Evaluate, Frame, Render } from './frame.js';
import { type ValueHelper, valueHelpers } from './helpers.js';
import type { Offsets } from './parse.js';
import type {
  Call,
  Literal,
  Location,
  MustacheStatement,
  PathExpression,
  Program,
  Statement,
  TemplateExpression,
} from './syntax.js';

/** A variable at the root that does not exist, e.g. `{{ inptu }}`; rendering it fails. */
export interface UnknownVariable {
  name: string;
  start: number;
  end: number;
}

/** A block that changes what `this` means. */
export interface BlockContext {
  /** The names of its block parameters. */
  parameters: readonly string[];
  /** `{{#field}}`: the context changes only when the field is neither true nor false. */
  section: boolean;
}

/** Compiles the nodes of one template to closures and notes what they read. */
export class TemplateCompiler {
  readonly references: Reference[] = [];
  readonly unknownVariables: UnknownVariable[] = [];
  /** Where the template asks not to be escaped. */
  readonly unescaped: { start: number; end: number }[] = [];
  /** The enclosing contexts, the innermost last. The root comes first. */
  readonly contexts: BlockContext[] = [{ parameters: [], section: false }];

  constructor(
    readonly source: string,
    readonly offsets: Offsets,
  ) {}

  program(program: Program | undefined): Render {
    const parts = (program?.body ?? [])
      .map((statement) => this.#statement(statement))
      .filter((part) => part !== undefined);
    if (parts.length === 0) return () => '';
    if (parts.length === 1) return parts[0]!;
    return (frame) => {
      let text = '';
      for (const part of parts) text += part(frame);
      return text;
    };
  }

  #statement(statement: Statement): Render | undefined {
    switch (statement.type) {
      case 'ContentStatement': {
        const { value } = statement;
        return value === '' ? undefined : () => value;
      }
      case 'CommentStatement':
        return undefined;
      case 'MustacheStatement':
        return this.#mustache(statement);
      case 'BlockStatement':
        return compileBlock(this, statement);
      default:
        throw this.error(statement.loc, 'templates have no partials and no decorators: write the text out');
    }
  }

  #mustache(statement: MustacheStatement): Render {
    const evaluate = this.required(this.call(statement), statement);
    if (!statement.escaped) this.unescaped.push(this.range(statement.loc));
    return (frame) => {
      const text = textOf(evaluate(frame));
      frame.work.charactersLeft -= text.length;
      if (frame.work.charactersLeft < 0) {
        throw new StepError({
          code: 'template_too_large',
          message: 'the rendered template is larger than 16 MiB',
        });
      }
      return text;
    };
  }

  /** A call of a helper, or a path without arguments. Gives `undefined` where something is missing. */
  call(call: Call): Evaluate {
    const path = asPath(call.path);
    const helper = this.helperOf(path);
    if (helper !== undefined) return this.callHelper(path.original, helper, call);
    if (isPlainName(path) && blockHelpers.has(path.original) && !this.isBlockParameter(path)) {
      throw this.error(
        path.loc,
        `'${path.original}' is a block: {{#${path.original} …}}…{{/${path.original}}}`,
      );
    }
    if (call.params.length > 0 || (call.hash?.pairs.length ?? 0) > 0) {
      throw this.unknownHelper(path);
    }
    return compilePath(this, path).evaluate;
  }

  helperOf(path: PathExpression): ValueHelper | undefined {
    return isPlainName(path) && !this.isBlockParameter(path) ? valueHelpers.get(path.original) : undefined;
  }

  callHelper(name: string, helper: ValueHelper, call: Call): Evaluate {
    this.checkArguments(name, call, helper.minimum, helper.maximum);
    const values = call.params.map((param) =>
      helper.lenient === true ? this.lenient(param) : this.strict(param),
    );
    return (frame) => {
      const arguments_ = values.map((value) => value(frame));
      try {
        return helper.call(arguments_);
      } catch (error) {
        throw this.failure(call.loc, (error as Error).message, 'template_failed');
      }
    };
  }

  checkArguments(
    name: string,
    call: Call,
    minimum: number,
    maximum: number,
    options: readonly string[] = [],
  ): void {
    const { length } = call.params;
    if (length < minimum || length > maximum) {
      const wanted = minimum === maximum ? `${minimum}` : `${minimum} to ${maximum}`;
      throw this.error(
        call.loc,
        `'${name}' takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${length}`,
      );
    }
    for (const { key, loc } of call.hash?.pairs ?? []) {
      if (!options.includes(key)) throw this.error(loc, `'${name}' has no option '${key}'`);
    }
  }

  /** An argument that must be there. */
  strict(expression: TemplateExpression): Evaluate {
    return this.required(this.lenient(expression), expression);
  }

  /** An argument that may be missing. */
  lenient(expression: TemplateExpression): Evaluate {
    if (expression.type === 'SubExpression') return this.call(expression);
    if (expression.type === 'PathExpression') {
      const helper = this.helperOf(expression);
      if (helper !== undefined) {
        throw this.error(
          expression.loc,
          `'${expression.original}' is a helper: call it as (${expression.original} …)`,
        );
      }
      return compilePath(this, expression).evaluate;
    }
    const value = literalValue(expression);
    return () => value;
  }

  required(evaluate: Evaluate, node: TemplateExpression | Call): Evaluate {
    return (frame) => {
      const value = evaluate(frame);
      if (value === undefined) throw this.missing(node, frame);
      return value;
    };
  }

  isBlockParameter(path: PathExpression): boolean {
    return (
      !path.data &&
      path.depth === 0 &&
      !isScoped(path) &&
      this.contexts.some(({ parameters }) => parameters.includes(path.parts[0]!))
    );
  }

  missing(node: TemplateExpression | Call, frame: Frame): StepError {
    let path: PathExpression | undefined;
    if ('params' in node) {
      if (node.params.length === 0) path = asPath(node.path);
    } else if (node.type === 'PathExpression') path = node;
    // The contexts that the path was compiled in are gone: only its own text is needed here.
    const why = path === undefined ? 'there is no such value' : this.#explain(path, frame);
    return this.failure(node.loc, why, 'template_missing_value');
  }

  readonly #explanations = new Map<PathExpression, (frame: Frame) => string>();

  /** Remembers how to explain that a path leads to nothing. */
  explainWith(path: PathExpression, explain: (frame: Frame) => string): void {
    this.#explanations.set(path, explain);
  }

  #explain(path: PathExpression, frame: Frame): string {
    return this.#explanations.get(path)?.(frame) ?? `'${path.original}' does not exist`;
  }

  failure(loc: Location, reason: string, code: string): StepError {
    const { start, end } = this.range(loc);
    const text = this.source.slice(start, end).replace(/\s+/g, ' ');
    const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
    return new StepError({
      code,
      message: `template ${shown.startsWith('{{') ? shown : `{{ ${shown} }}`}: ${reason}`,
    });
  }

  error(loc: Location, message: string): ExpressionSyntaxError {
    const { start, end } = this.range(loc);
    return new ExpressionSyntaxError(message, start, end);
  }

  unknownHelper({ original, loc }: PathExpression): ExpressionSyntaxError {
    const { start, end } = this.range(loc);
    const known = [...valueHelpers.keys(), ...blockHelpers.keys()];
    return new ExpressionSyntaxError(`unknown helper '${original}'`, start, end, { name: original, known });
  }

  range(loc: Location): { start: number; end: number } {
    const start = this.offsets.at(loc.start);
    return { start, end: Math.max(start, this.offsets.at(loc.end)) };
  }
}

function literalValue(literal: Literal): Value {
  if (literal.type === 'NullLiteral') return null;
  return literal.type === 'UndefinedLiteral' ? undefined : literal.value;
}

/** `{{ "some key" }}` and `{{ 12 }}` name a field, as in Handlebars. */
function asPath(path: PathExpression | Literal): PathExpression {
  if (path.type === 'PathExpression') return path;
  const name = String(literalValue(path));
  return {
    type: 'PathExpression',
    data: false,
    depth: 0,
    parts: [name],
    original: `[${name}]`,
    loc: path.loc,
  };
}
