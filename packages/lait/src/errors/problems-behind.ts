import { DefinitionError } from './errors.js';
import { messageChain } from './lait-error.js';

/** An error and its causes, outermost first. */
export function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let current = error; current instanceof Error && !chain.includes(current); current = current.cause) {
    chain.push(current);
  }
  return chain;
}

/** The problems of the definition that an error comes from, without those that its message says anyway. */
export function problemsBehind(error: unknown): Pick<DefinitionError, 'diagnostics' | 'sources'> {
  const definition = causes(error).find((cause) => cause instanceof DefinitionError);
  const message = messageChain(error);
  const diagnostics = (definition?.diagnostics ?? []).filter(
    (diagnostic) => diagnostic.position !== undefined || !message.includes(diagnostic.message),
  );
  return { diagnostics, sources: definition?.sources ?? [] };
}
