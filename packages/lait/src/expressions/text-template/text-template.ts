import type { JsonObject } from '../../values/value.js';
import { templateFilters } from './filters.js';
import { usesOf } from './free-variables.js';
import { TemplateInterpreter, type TemplateLimits } from './interpreter.js';
import { parseTemplate } from './parser.js';
import { TemplateError } from './template-error.js';
import { templateTests } from './tests.js';

/** Longest template and longest rendered text, in bytes of UTF-8. Source: graph facts §1.11. */
const maxTemplateBytes = 16 * 1024;
const defaultTemplateLimits: TemplateLimits = { maxSteps: 1_000_000, maxOutputBytes: 64 * 1024 };

/** A template ready to render, with the variables that it takes from outside. */
export interface TextTemplate {
  variables: readonly string[];
  /** Throws a `TemplateError`. */
  render(values: JsonObject, limits?: TemplateLimits): string;
}

/**
 * Compiles a Jinja-style template: outputs, `if`, `for`, `set`, `with`, `filter`, `macro`, `raw`, the standard filters
 * and tests. No loaders, no escaping, undefined names fail, nothing outside the given values can be reached.
 * Source: graph facts §2.6. Throws a `TemplateError` for wrong syntax, unknown filters or tests, and for its size.
 */
export function compileTextTemplate(source: string): TextTemplate {
  const bytes = Buffer.byteLength(source);
  if (bytes > maxTemplateBytes)
    throw new TemplateError(`the template has ${bytes} bytes; at most ${maxTemplateBytes} are allowed`);
  const nodes = parseTemplate(source);
  const uses = usesOf(nodes);
  for (const use of uses) {
    if (use.kind === 'filter' && !templateFilters.has(use.name))
      throw new TemplateError(`unknown filter '${use.name}'`, use.line, {
        name: use.name,
        known: templateFilters.keys(),
      });
    if (use.kind === 'test' && !templateTests.has(use.name))
      throw new TemplateError(`unknown test '${use.name}'`, use.line, {
        name: use.name,
        known: templateTests.keys(),
      });
  }
  return {
    variables: [...new Set(uses.filter((use) => use.kind === 'variable').map((use) => use.name))],
    render: (values, limits = defaultTemplateLimits) => new TemplateInterpreter(limits).render(nodes, values),
  };
}
