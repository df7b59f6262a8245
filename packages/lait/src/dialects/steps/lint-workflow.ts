import { kinds as allKinds } from '../../kinds/index.js';
import { allNodes } from '../../plan/all-nodes.js';
import { analyseReferences } from '../../plan/analysis/references.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { Problems } from '../../plan/problems.js';
import type { SourceFile } from '../../plan/source.js';
import { nodeAt } from '../../plan/yaml/node-at.js';
import type { SourceNode } from '../../plan/yaml/source-node.js';
import type { LintedWorkflow } from '../dialect.js';
import { type LoadedSteps, type LoadOptions, loadStepsWorkflow } from './load-workflow.js';

/**
 * What `lait lint` says about one workflow file: everything that loading refuses, and when nothing does, references to
 * what is not there, and schemas and agents that nothing uses. Other files are not read. Source: facts §17.
 */
export function lintStepsWorkflow(source: SourceFile, options: LoadOptions = {}): LintedWorkflow {
  const loaded = loadStepsWorkflow(source, options);
  const { plan, origins, root } = loaded;
  if (plan === undefined) return { diagnostics: loaded.diagnostics };
  const kinds = options.kinds ?? allKinds;
  const references = analyseReferences(plan, { kinds, origins });
  const found = [...loaded.diagnostics, ...references, ...unused(loaded, source, kinds)];
  const problems = new Problems(source);
  const steps = root === undefined ? new Map<number, SourceNode>() : mappingsByStart(root);
  return {
    diagnostics: found.sort((a, b) => (a.position?.start ?? -1) - (b.position?.start ?? -1)),
    located: {
      plan,
      unusedSchemas: loaded.schemas
        .unused()
        .map(({ name, source: schema }) => ({ schema, at: ['schemas', name] })),
      expressionPosition: (expression, reference) =>
        origins.position(expression, reference?.start, reference?.end),
      position: (path, node) => {
        const from = node === undefined ? root : steps.get(node.position?.start ?? -1);
        return from === undefined ? undefined : problems.position(nodeAt(from, path).range);
      },
    },
  };
}

/** The mappings of a file by where they start: each step is one. */
function mappingsByStart(root: SourceNode): Map<number, SourceNode> {
  const found = new Map<number, SourceNode>();
  const visit = (node: SourceNode) => {
    if (node.type === 'list') node.items.forEach(visit);
    if (node.type !== 'map') return;
    if (node.range !== undefined && !found.has(node.range.start)) found.set(node.range.start, node);
    for (const { value } of node.entries.values()) visit(value);
  };
  visit(root);
  return found;
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
