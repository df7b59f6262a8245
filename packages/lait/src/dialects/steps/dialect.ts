import type { Dialect } from '../dialect.js';

/** YAML with `steps:`. Source: steps seed. */
export const stepsDialect: Dialect = {
  keys: ['steps'],
  async read(source, { directory }) {
    const { loadStepsWorkflow } = await import('./load-workflow.js');
    return loadStepsWorkflow(source, { directory });
  },
  async lint(source) {
    const { lintStepsWorkflow } = await import('./lint-workflow.js');
    return lintStepsWorkflow(source);
  },
};
