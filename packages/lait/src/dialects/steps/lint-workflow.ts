import { kinds as allKinds } from '../../kinds/index.js';
import { allNodes } from '../../plan/all-nodes.js';
import { analyseReferences } from '../../plan/analysis/references.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { Plan } from '../../plan/plan.js';
import { Problems } from '../../plan/problems.js';
import type { SourceFile } from '../../plan/source.js';
import { nodeAt } from '../../plan/yaml/node-at.js';
import type { MapNode, SourceNode } from '../../plan/yaml/source-node.js';
import type { LintedWorkflow } from '../dialect.js';
import { type LoadedSteps, type LoadOptions, loadStepsWorkflow } from './load-workflow.js';

/**
 * What `lait lint` says about one workflow file: everything that loading refuses, references to what is not there, and
 * when nothing is refused schemas and agents that nothing uses. Other files are not read. Source: facts §17.
 */
export function lintStepsWorkflow(source: SourceFile, options: LoadOptions = {}): LintedWorkflow {
  const loaded = loadStepsWorkflow(source, options);
  const { origins, root } = loaded;
  const plan = loaded.plan ?? loaded.readable;
  if (plan === undefined || root === undefined) return { diagnostics: loaded.diagnostics };
  const kinds = options.kinds ?? allKinds;
  const steps = mappingsByStart(root);
  const isWhole = loaded.plan !== undefined;
  const unread = isWhole ? [] : idsOf(steps.values());
  const found = [
    ...loaded.diagnostics,
    ...analyseReferences(plan, { kinds, origins, unread }),
    ...(isWhole ? unused(plan, loaded, source, kinds) : []),
  ];
  const problems = new Problems(source);
  return {
    diagnostics: found.sort((a, b) => (a.position?.start ?? -1) - (b.position?.start ?? -1)),
    located: {
      plan,
      ...(isWhole ? {} : { partial: true }),
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

/** The ids that the steps of a file have, also of those that cannot be read. */
function idsOf(mappings: Iterable<MapNode>): string[] {
  return [...mappings].flatMap(({ entries }) => {
    const id = entries.get('id')?.value;
    return id?.type === 'scalar' && typeof id.value === 'string' ? [id.value] : [];
  });
}

/** The mappings of a file by where they start: each step is one. */
function mappingsByStart(root: SourceNode): Map<number, MapNode> {
  const found = new Map<number, MapNode>();
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
  plan: Plan,
  { schemas, root }: LoadedSteps,
  source: SourceFile,
  kinds: LoadOptions['kinds'] & {},
): Diagnostic[] {
  const problems = new Problems(source);
  for (const { name, range } of schemas.unused()) {
    const message = `the schema '${name}' is not used`;
    problems.add({ code: 'unused_schema', severity: 'warning', message, range });
  }
  const called = new Set<string | undefined>();
  for (const node of allNodes(plan.body.nodes, kinds))
    called.add(kinds.get(node.kind)?.callsAgent?.(node.fields));
  const agents = root?.entries.get('agents')?.value;
  for (const { key, keyRange } of agents?.type === 'map' ? agents.entries.values() : []) {
    if (called.has(key)) continue;
    const message = `the agent '${key}' is not used`;
    problems.add({ code: 'unused_agent', severity: 'warning', message, range: keyRange });
  }
  return problems.list();
}
