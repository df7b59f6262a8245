import { kinds as allKinds } from '../../kinds/index.js';
import { allNodes } from '../../plan/all-nodes.js';
import { analyseReferences } from '../../plan/analysis/references.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { Problems } from '../../plan/problems.js';
import type { SourceFile } from '../../plan/source.js';
import { type LoadedSteps, type LoadOptions, loadStepsWorkflow } from './load-workflow.js';

/**
 * What `lait lint` says about one workflow file: everything that loading refuses, and when nothing does, references to
 * what is not there, and schemas and agents that nothing uses. Other files are not read. Source: facts §17.
 */
export function lintStepsWorkflow(source: SourceFile, options: LoadOptions = {}): Diagnostic[] {
  return lintLoaded(loadStepsWorkflow(source, options), source, options);
}

/** The same for a file that was loaded before. */
export function lintLoaded(loaded: LoadedSteps, source: SourceFile, options: LoadOptions = {}): Diagnostic[] {
  if (loaded.plan === undefined) return loaded.diagnostics;
  const kinds = options.kinds ?? allKinds;
  const references = analyseReferences(loaded.plan, { kinds, origins: loaded.origins });
  const found = [...loaded.diagnostics, ...references, ...unused(loaded, source, kinds)];
  return found.sort((a, b) => (a.position?.start ?? -1) - (b.position?.start ?? -1));
}

function unused(
  { plan, schemas, root }: LoadedSteps,
  source: SourceFile,
  kinds: LoadOptions['kinds'] & {},
): Diagnostic[] {
  const problems = new Problems(source);
  for (const { name, range } of schemas.unused()) {
    const message = `the schema '${name}' is not used`;
    problems.add({ code: 'unused_schema', severity: 'warning', message, range });
  }
  const called = new Set<string | undefined>();
  for (const node of allNodes(plan!.body.nodes, kinds))
    called.add(kinds.get(node.kind)?.callsAgent?.(node.fields));
  const agents = root?.entries.get('agents')?.value;
  for (const { key, keyRange } of agents?.type === 'map' ? agents.entries.values() : []) {
    if (called.has(key)) continue;
    const message = `the agent '${key}' is not used`;
    problems.add({ code: 'unused_agent', severity: 'warning', message, range: keyRange });
  }
  return problems.list();
}
