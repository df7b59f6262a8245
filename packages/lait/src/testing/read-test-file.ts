import { dirname, resolve } from 'node:path';
import { isWorkflowPath } from '../config/workflow-service.js';
import { FieldCompiler } from '../dialects/steps/compile-fields.js';
import { DefinitionError } from '../errors/errors.js';
import type { Expression } from '../expressions/expression.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import { ExpressionOrigins } from '../plan/expression-origins.js';
import type { FieldProblem, FieldTable } from '../plan/fields.js';
import { Problems } from '../plan/problems.js';
import { readSourceFile } from '../plan/read-source.js';
import type { ModelSettings } from '../plan/settings.js';
import type { SourceFile } from '../plan/source.js';
import { readYaml } from '../plan/yaml/read-yaml.js';
import type { JsonObject, JsonValue } from '../values/value.js';
import type { Assertion } from './assertion.js';
import { evalFields, testFields } from './test-fields.js';
import type { EvalFile, EvalTarget, TestCase, TestFile } from './test-file.js';

interface Call {
  name?: string;
  input?: JsonValue;
  inputs?: JsonObject;
  answers?: Record<string, string>;
  assert?: readonly Assertion[];
}

interface TestValues extends Call {
  workflow: string;
  replay: string;
}

interface EvalValues {
  name?: string;
  target: ModelSettings & { workflow?: string; prompt?: Expression<string>; system?: Expression<string> };
  cases: readonly Call[];
}

/** Reads a test file. Throws a `DefinitionError` (code `definition_invalid`) with every problem. Source: facts §19. */
export async function readTestFile(
  file: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<TestFile> {
  const source = await readSourceFile(file, { signal });
  const { workflow, replay, ...call } = read<TestValues>(source, 'test');
  const directory = dirname(resolve(file));
  return {
    ...caseOf(call),
    file,
    workflow: reference(workflow, directory),
    replay: resolve(directory, replay),
  };
}

/** Reads an eval file. Throws a `DefinitionError` (code `definition_invalid`) with every problem. Source: facts §19. */
export async function readEvalFile(
  file: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<EvalFile> {
  const source = await readSourceFile(file, { signal });
  const { name, target, cases } = read<EvalValues>(source, 'eval');
  return {
    file,
    ...(name === undefined ? {} : { name }),
    target: targetOf(target, dirname(resolve(file))),
    cases: cases.map(caseOf),
  };
}

/** Every problem of a test or eval file, for lint. */
export function checkTestSource(source: SourceFile, kind: 'test' | 'eval'): Diagnostic[] {
  return compile(source, kind).problems.list();
}

function read<Values>(source: SourceFile, kind: 'test' | 'eval'): Values {
  const { values, problems } = compile(source, kind);
  if (problems.errors === 0 && values !== undefined) return values as Values;
  const count = problems.errors === 1 ? 'a problem' : `${problems.errors} problems`;
  throw new DefinitionError({
    code: 'definition_invalid',
    message: `the ${kind} file ${source.file} has ${count}`,
    diagnostics: problems.list(),
    sources: [source],
  });
}

function compile(source: SourceFile, kind: 'test' | 'eval') {
  const problems = new Problems(source);
  const root = readYaml(problems);
  if (root === undefined) return { problems };
  const compiler = new FieldCompiler({
    problems,
    origins: new ExpressionOrigins(),
  });
  const table: FieldTable = kind === 'test' ? testFields : evalFields;
  const place = { field: '', block: '' };
  const values = compiler.table(root, table, place, {
    what: kind === 'test' ? 'a test file' : 'an eval file',
  });
  if (values !== undefined && problems.errors === 0) compiler.addAll(problemsOf(values, kind), root, place);
  return { values, problems };
}

/** What no field alone can show. */
function problemsOf(values: Record<string, unknown>, kind: 'test' | 'eval'): FieldProblem[] {
  if (kind === 'test') return assertionProblems((values as unknown as TestValues).assert, ['assert']);
  const { target, cases } = values as unknown as EvalValues;
  const given = [target.workflow, target.prompt].filter((one) => one !== undefined);
  const settings = Object.keys(target).filter(
    (key) => key !== 'workflow' && target[key as 'model'] !== undefined,
  );
  return [
    ...(given.length === 1
      ? []
      : [
          {
            path: ['target'],
            message: `target: ${given.length === 0 ? 'needs workflow or prompt' : 'workflow and prompt exclude each other'}`,
          },
        ]),
    ...(target.workflow !== undefined && target.prompt === undefined && settings.length > 0
      ? [
          {
            path: ['target', settings[0]!],
            message: `target: ${settings.join(', ')} belong to prompt; a workflow has its own settings`,
          },
        ]
      : []),
    ...cases.flatMap(({ assert }, index) => assertionProblems(assert, ['cases', index, 'assert'])),
  ];
}

function assertionProblems(
  assertions: readonly Assertion[] = [],
  path: readonly (string | number)[],
): FieldProblem[] {
  return assertions.flatMap((assertion, index) => {
    const at = [...path, index];
    const field = at
      .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
      .join('')
      .slice(1);
    if (assertion.type === 'usage' && Object.keys(assertion).length === 1) {
      return [
        { path: at, message: `${field}: a usage assertion needs at least one limit, e.g. max_total_tokens` },
      ];
    }
    if (assertion.type === 'tool_called' && (assertion.max ?? Infinity) < (assertion.min ?? 0)) {
      return [{ path: [...at, 'max'], message: `${field}: max is smaller than min` }];
    }
    return [];
  });
}

function caseOf({ name, input = null, inputs = {}, answers = {}, assert = [] }: Call): TestCase {
  return { ...(name === undefined ? {} : { name }), input, inputs, answers, assert };
}

function targetOf(
  { workflow, prompt, system, ...settings }: EvalValues['target'],
  directory: string,
): EvalTarget {
  if (workflow !== undefined) return { workflow: reference(workflow, directory) };
  return { prompt: prompt!, ...(system === undefined ? {} : { system }), settings };
}

function reference(workflow: string, directory: string): string {
  return isWorkflowPath(workflow) ? resolve(directory, workflow) : workflow;
}
