import type { Dialect } from '../dialect.js';

/** JSON with `graph`, a list of entries. Source: dynamic seed. */
export const dynamicDialect: Dialect = {
  keys: ['graph'],
  namesItself: true,
  takesRequestContext: true,
  async read(source, { directory, pinned, dynamic }) {
    const { loadDynamicWorkflow } = await import('./load-workflow.js');
    return loadDynamicWorkflow(source, { ...(await dynamic?.()), directory, pinned });
  },
  async check(definition, world) {
    const { checkGivenDefinition } = await import('./check-bundle.js');
    return checkGivenDefinition(definition, world);
  },
};
