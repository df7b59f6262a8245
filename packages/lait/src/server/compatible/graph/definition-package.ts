import { z } from 'zod';
import { Problems } from '../../../plan/problems.js';
import { readYamlValue } from '../../../plan/yaml/read-yaml-value.js';
import type { JsonObject } from '../../../values/value.js';
import { HttpProblem, type RequestProblem, unprocessable } from '../../http/problem.js';
import { parseJson } from '../../http/read-body.js';
import { contentOfBody, edgeBody, type GraphContent, graphBody, nodeBody } from './graph-content.js';
import type { GraphLimits } from './graph-limits.js';

/** What a package calls itself. */
export const packageFormat = 'graph-workflow';

/** What packages of the system that the form comes from call themselves: their shape is the same. */
const foreignFormat = 'obsidian-ai-hub.workflow-definition';

/** Longest package. Source: graph facts §1.11. */
const maxPackageBytes = 1024 * 1024;

const packageBody = z
  .strictObject({
    format: z.enum([packageFormat, foreignFormat]),
    version: z.literal(1),
    name: z.string().trim().min(1).max(500),
    description: z.string().max(10_000).nullish(),
    inputs_schema: graphBody.shape.inputs_schema,
    nodes: z.array(z.strictObject(nodeBody.shape)),
    edges: z.array(z.strictObject(edgeBody.shape)),
  })
  .superRefine((value, context) => {
    const nodes = new Map(value.nodes.map((node) => [node.node_id, node]));
    const add = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    for (const [index, node] of value.nodes.entries()) {
      const parent = node.parent_loop_node_id;
      if (parent != null && nodes.get(parent)?.node_type !== 'loop')
        add(['nodes', index, 'parent_loop_node_id'], `there is no loop '${parent}'`);
      const entry = node.config.entry_node_id;
      if (node.node_type === 'loop' && entry !== undefined && nodes.get(String(entry)) === undefined)
        add(['nodes', index, 'config', 'entry_node_id'], `there is no node '${String(entry)}'`);
    }
    for (const [index, edge] of value.edges.entries())
      for (const end of ['source_node_id', 'target_node_id'] as const)
        if (!nodes.has(edge[end])) add(['edges', index, end], `there is no node '${edge[end]}'`);
  });

export interface DefinitionPackage {
  name: string;
  description: string | null;
  graph: GraphContent;
}

export type PackageFormat = 'json' | 'yaml';

/** A graph as another server can import it. Source: graph facts §8.1. */
export function packageOf({ name, description, graph }: DefinitionPackage): JsonObject {
  const { inputs_schema, nodes, edges } = graph;
  return {
    format: packageFormat,
    version: 1,
    name,
    description: description ?? '',
    inputs_schema,
    nodes,
    edges,
  };
}

/** A package as the text of a file. */
export async function writePackage(definition: DefinitionPackage, format: PackageFormat): Promise<string> {
  const value = packageOf(definition);
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  const { stringify } = await import('yaml');
  return stringify(value);
}

/** Reads a package. Throws an `HttpProblem` (422) with every problem of its shape. */
export async function readPackage(
  text: string,
  format: PackageFormat,
  limits: GraphLimits,
): Promise<DefinitionPackage> {
  if (Buffer.byteLength(text) > maxPackageBytes)
    throw unprocessable('package_too_large', `a package may have ${maxPackageBytes} bytes at most`);
  const value = format === 'json' ? readJson(text) : readYaml(text);
  return checkPackage(value, limits);
}

/** Checks the shape of a package. Throws an `HttpProblem` (422) with every problem. */
export function checkPackage(value: unknown, limits: GraphLimits): DefinitionPackage {
  const read = packageBody.safeParse(value);
  const issues = read.success ? (graphBody.safeParse(read.data).error?.issues ?? []) : read.error.issues;
  const problems = issues.map(
    ({ path, message }): RequestProblem => ({ in: 'body', path: path.map(String).join('.'), message }),
  );
  if (read.success) problems.push(...sizeProblems(read.data, limits));
  if (!read.success || problems.length > 0)
    throw unprocessable('package_invalid', `the package is not valid: ${problems[0]?.message}`, problems);
  const { name, description = null } = read.data;
  return { name, description, graph: contentOfBody(read.data) };
}

function sizeProblems(
  { nodes, edges }: z.infer<typeof packageBody>,
  { maxNodes, maxEdges }: GraphLimits,
): RequestProblem[] {
  const tooMany = (path: string, found: number, most: number): RequestProblem[] =>
    found <= most ? [] : [{ in: 'body', path, message: `${found} ${path} are more than ${most}` }];
  return [...tooMany('nodes', nodes.length, maxNodes), ...tooMany('edges', edges.length, maxEdges)];
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof HttpProblem ? unprocessable(error.code, error.message) : error;
  }
}

function readYaml(text: string): unknown {
  const problems = new Problems({ file: '<package>', text });
  const value = readYamlValue(problems);
  if (value !== undefined) return value;
  throw unprocessable('yaml_invalid', `the package is no YAML: ${problems.firstError()}`);
}
