import type { CallArguments } from './operations.js';
import type { TemplateNode } from './syntax.js';
import { TemplateError } from './template-error.js';

/** A macro takes what it declares and nothing else. */
export function checkArguments(
  { name, parameters }: Extract<TemplateNode, { type: 'macro' }>,
  { positional, named }: CallArguments,
): void {
  if (positional.length > parameters.length)
    throw new TemplateError(`macro '${name}' takes ${parameters.length} values at most`);
  for (const given of named.keys())
    if (!parameters.some((parameter) => parameter.name === given))
      throw new TemplateError(`macro '${name}' takes no '${given}'`);
}
