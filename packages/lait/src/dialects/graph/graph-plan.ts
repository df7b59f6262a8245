import { DefinitionError } from '../../errors/errors.js';
import type { Plan } from '../../plan/plan.js';
import { noSettings } from '../../plan/settings.js';
import type { SourceFile } from '../../plan/source.js';
import { isObject, type JsonObject } from '../../values/value.js';
import { acceptGraphCall } from './accept-call.js';
import { checkGraph } from './check-graph.js';
import { GraphCheck, type GraphCheckOptions } from './graph-check.js';
import type { GraphIssue } from './issue.js';
import { GraphLowering } from './lower-graph.js';
import { type ReadGraph, readGraphText, readGraphValue } from './read-definition.js';

/** What a graph is read with. */
export interface GraphPlanOptions extends GraphCheckOptions {
  /** Names the workflow in events and records. Default: the definition's name, or `graph`. */
  id?: string;
  /** Tells workflows apart when calls are followed. Default: the id. */
  origin?: string;
  /** Where relative paths start from. */
  directory?: string;
}

/** What checking a graph came to. Source: graph facts §6. */
export interface GraphReport {
  /** True when no issue is an error. */
  valid: boolean;
  issues: GraphIssue[];
}

/** Checks a graph: the text of a file, or the definition itself. Never throws for what it holds. */
export function checkGraphDefinition(
  graph: SourceFile | JsonObject,
  options: GraphCheckOptions = {},
): GraphReport {
  const { read } = readAndCheck(graph, options);
  return { valid: read.issues.errors === 0, issues: read.issues.list() };
}

/**
 * Reads, checks and lowers a graph. Throws a `DefinitionError` (code `invalid_definition`) with every issue.
 * `warnings` gets what is allowed and yet most likely not meant.
 */
export function graphPlan(
  graph: SourceFile | JsonObject,
  options: GraphPlanOptions = {},
): { plan: Plan; warnings: GraphIssue[] } {
  const { read, check } = readAndCheck(graph, options);
  const issues = read.issues.list();
  if (check === undefined || read.issues.errors > 0) {
    const errors = issues.filter(({ severity }) => severity === 'error');
    throw new DefinitionError({
      code: 'invalid_definition',
      message: `the graph has ${errors.length} ${errors.length === 1 ? 'problem' : 'problems'}: ${errors[0]!.message}`,
      diagnostics: issues,
    });
  }
  const { definition } = check;
  const source: SourceFile = isSource(graph) ? graph : { file: '<definition>', text: JSON.stringify(graph) };
  const id = options.id ?? definition.name ?? 'graph';
  const inputsSchema = definition.inputs_schema as JsonObject;
  const plan: Plan = {
    form: 'graph',
    id,
    ...(definition.name !== undefined && { name: definition.name }),
    ...(definition.description !== undefined && { description: definition.description }),
    origin: options.origin ?? id,
    ...(options.directory !== undefined && { directory: options.directory }),
    sources: [source],
    inputSchema: inputsSchema,
    accept: acceptor(inputsSchema),
    body: new GraphLowering(check).body(),
    settings: noSettings,
  };
  return { plan, warnings: issues };
}

/** Made here, because a function holds all that is named around it: there it would be the whole reader. */
function acceptor(inputsSchema: JsonObject): Plan['accept'] {
  return (call) => acceptGraphCall(inputsSchema, call);
}

function readAndCheck(
  graph: SourceFile | JsonObject,
  options: GraphCheckOptions,
): { read: ReadGraph; check?: GraphCheck } {
  const read = isSource(graph) ? readGraphText(graph) : readGraphValue(graph);
  if (read.definition === undefined) return { read };
  const check = new GraphCheck(read.definition, read.issues, options);
  checkGraph(check);
  return { read, check };
}

function isSource(graph: SourceFile | JsonObject): graph is SourceFile {
  return (
    isObject(graph) &&
    typeof graph.text === 'string' &&
    typeof graph.file === 'string' &&
    !Object.hasOwn(graph, 'nodes')
  );
}
