import { resolve } from 'node:path';
import { FieldCompiler } from '../dialects/steps/compile-fields.js';
import type { Place } from '../dialects/steps/place.js';
import { DefinitionError } from '../errors/errors.js';
import { ExpressionOrigins } from '../plan/expression-origins.js';
import type { FieldProblem } from '../plan/fields.js';
import { keyProblems, modelKeyProblems } from '../plan/key-problems.js';
import { Problems } from '../plan/problems.js';
import type { SourceFile } from '../plan/source.js';
import { readYaml } from '../plan/yaml/read-yaml.js';
import type { SourceNode } from '../plan/yaml/source-node.js';
import { isObject, type JsonObject } from '../values/value.js';
import { configFields } from './config-fields.js';
import type { ConfigurationValues } from './configuration.js';
import { isWorkflowPath } from './workflow-service.js';

const registries = ['skills', 'agents', 'prompts', 'workflows'] as const;

/**
 * Reads a configuration file. Registry paths become absolute, from `directory`. An empty file is an empty
 * configuration. Throws a `DefinitionError` (code `configuration_invalid`) with every problem. Source: facts §3.
 */
export function readConfiguration(source: SourceFile, directory: string): ConfigurationValues {
  const { values, problems } = checkConfiguration(source, directory);
  if (values !== undefined) return values;
  const count = problems.errors === 1 ? 'one problem' : `${problems.errors} problems`;
  throw new DefinitionError({
    code: 'configuration_invalid',
    message: `${source.file} has ${count}`,
    diagnostics: problems.list(),
    sources: [source],
  });
}

/** The same for lint: the problems, warnings included, and the values when there is no error. */
export function checkConfiguration(
  source: SourceFile,
  directory: string,
): { values?: ConfigurationValues; problems: Problems } {
  const problems = new Problems(source);
  if (isBlank(source.text)) return { values: {}, problems };
  const root = readYaml(problems);
  if (root === undefined) return { problems };
  const values = compile(root, problems);
  return problems.errors > 0 ? { problems } : { values: absolutePaths(values, directory), problems };
}

function compile(root: SourceNode, problems: Problems): ConfigurationValues {
  const compiler = new FieldCompiler({
    problems,
    origins: new ExpressionOrigins(),
  });
  const place: Place = { field: '', block: '' };
  const fields = compiler.table(root, configFields, place, { what: 'the configuration' }) ?? {};
  compiler.addAll(exclusions(fields as unknown as JsonObject), root, place);
  return fields as ConfigurationValues;
}

/** What no field alone can show: fields that exclude each other. */
function exclusions(values: JsonObject): FieldProblem[] {
  const servers = isObject(values.mcp_servers) ? values.mcp_servers : {};
  return [
    ...keyProblems(values),
    ...below(['jev'], keyProblems(values.jev)),
    ...below(['models'], modelKeyProblems(values.models)),
    ...Object.entries(servers).flatMap(([name, server]) =>
      below(['mcp_servers', name], serverProblems(server)),
    ),
  ];
}

function serverProblems(server: unknown): FieldProblem[] {
  if (!isObject(server)) return [];
  const given = ['command', 'url'].filter((key) => Object.hasOwn(server, key));
  if (given.length === 1) return [];
  const message =
    given.length === 0
      ? 'an MCP server needs a command or a url'
      : 'command and url exclude each other: keep one of them';
  return [{ path: given.length === 0 ? [] : ['url'], message }];
}

function below(prefix: readonly string[], problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map((problem) => ({
    ...problem,
    path: [...prefix, ...problem.path],
    message: `${prefix.join('.')}: ${problem.message}`,
  }));
}

/** Paths are relative to the file that names them. */
function absolutePaths(values: ConfigurationValues, directory: string): ConfigurationValues {
  const result = { ...values };
  for (const name of registries) {
    const paths = values[name];
    if (paths === undefined) continue;
    result[name] = Object.fromEntries(
      Object.entries(paths).map(([key, path]) => [key, resolve(directory, path)]),
    );
  }
  if (values.capabilities !== undefined) {
    const entries = Object.entries(values.capabilities).map(([key, { root, workflow, ...entry }]) => [
      key,
      {
        ...entry,
        ...(root !== undefined && { root: resolve(directory, root) }),
        ...(workflow !== undefined && {
          workflow: isWorkflowPath(workflow) ? resolve(directory, workflow) : workflow,
        }),
      },
    ]);
    result.capabilities = Object.fromEntries(entries);
  }
  return result;
}

function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#.*)?$/.test(line));
}
