import { loadAgent } from '../dialects/steps/read-agent-file.js';
import { messageChain } from '../errors/lait-error.js';
import { checkSelection } from '../plan/analysis/check-names.js';
import { Findings } from '../plan/analysis/located-plan.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import type { Plan } from '../plan/plan.js';
import type { SourceFile } from '../plan/source.js';
import { loadSchema } from '../schema/load-schema.js';
import type { LintContext } from './lint-workflow.js';

/** Everything that lint says about an agent file: its own problems, its names, its schema files. */
export async function lintAgent(source: SourceFile, context: LintContext): Promise<Diagnostic[]> {
  const { agent, diagnostics } = loadAgent(source);
  if (agent === undefined) return diagnostics;
  const { signal, registered, onUncheckedNames } = context;
  // Of an agent file alone no places of names are known: the message names field and name.
  const findings = new Findings({ plan: {} as Plan });
  const selects = checkSelection(agent, [], findings, registered);
  if (selects && registered === undefined) onUncheckedNames();
  for (const schema of [agent.inputSchema, agent.outputSchema]) {
    if (schema?.file === undefined) continue;
    try {
      await loadSchema(schema, { signal, pipes: false });
    } catch (error) {
      signal.throwIfAborted();
      findings.add({ code: 'unreadable_schema', severity: 'error', message: messageChain(error) });
    }
  }
  return [...diagnostics, ...findings.diagnostics];
}
