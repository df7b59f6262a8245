import { DefinitionError } from '../../errors/errors.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { LineIndex } from '../../plan/line-index.js';
import type { Plan } from '../../plan/plan.js';
import { Problems } from '../../plan/problems.js';
import type { SourceFile } from '../../plan/source.js';
import { readYamlValue } from '../../plan/yaml/read-yaml-value.js';
import { repeatsKeys } from '../../values/repeated-keys.js';
import type { Catalog } from './catalog.js';
import { checkDefinition } from './check.js';
import type { UncheckedDefinition } from './definition.js';
import { toDiagnostics } from './diagnostics.js';
import type { Findings } from './issue.js';
import { type Classifier, lowerDefinition } from './lower.js';
import { openCatalog } from './open-catalog.js';
import { prepareDefinition } from './prepare.js';
import { SourcePositions } from './source-positions.js';

export interface LoadDynamicOptions {
  /** The directory of the file: workflows that are called by path start from it. */
  directory: string;
  /** What the definition may refer to. Default: everything, to be found when a step needs it. */
  catalog?: Catalog;
  classifier?(id: string): Classifier | undefined;
  strictSchemas?: boolean;
  /** True for a definition that was accepted before: what it names may be gone meanwhile. Default false. */
  pinned?: boolean;
}

/** A plan when there are no errors, and every diagnostic. */
export interface LoadedDynamicWorkflow {
  plan?: Plan;
  definition?: UncheckedDefinition;
  diagnostics: readonly Diagnostic[];
}

/** Reads, checks and lowers a definition from a file in JSON or YAML. Every problem is reported with its place. */
export function loadDynamicWorkflow(source: SourceFile, options: LoadDynamicOptions): LoadedDynamicWorkflow {
  const { directory, catalog = openCatalog, classifier, strictSchemas = false, pinned = false } = options;
  const read = parseDefinition(source);
  if ('diagnostics' in read) return { diagnostics: read.diagnostics };
  const positions = new SourcePositions(source);
  const positionOf = (path: string) => positions.of(path);
  let definition: UncheckedDefinition;
  try {
    definition = prepareDefinition(read.value);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const start = new LineIndex(source.text).position(source.file, 0, 0);
    return {
      diagnostics: error.diagnostics.map((diagnostic) => {
        return { ...diagnostic, position: positionOf(diagnostic.path ?? '') ?? start };
      }),
    };
  }
  const findings = checkDefinition(definition, pinned ? openCatalog : catalog, { strictSchemas });
  findings.problems.push(...requiredInFiles(definition));
  const diagnostics = toDiagnostics(findings, positionOf);
  if (findings.issues.length + findings.problems.length > 0) return { definition, diagnostics };
  const plan = lowerDefinition(definition, {
    source,
    origin: source.file,
    directory,
    strictSchemas,
    positionOf,
    classifier,
    isAgent: catalog === openCatalog ? undefined : (name) => catalog.agent(name),
  });
  return { plan, definition, diagnostics };
}

/** The value of a definition's text, JSON or YAML, or where the text is broken. */
export function parseDefinition(source: SourceFile): { value: unknown } | { diagnostics: Diagnostic[] } {
  const { text } = source;
  try {
    const value: unknown = JSON.parse(text);
    if (!repeatsKeys(text, value)) return { value };
  } catch {
    // Read as YAML, which knows where the text is broken; JSON is YAML, too.
  }
  const problems = new Problems(source);
  const value = readYamlValue(problems);
  if (problems.errors === 0) return { value };
  const errors = problems.list().filter(({ severity }) => severity === 'error');
  return { diagnostics: errors.map((diagnostic) => ({ ...diagnostic, code: 'syntax' })) };
}

/**
 * Programs may leave these out; people who write files are told. Source: dynamic facts, where page and record differ.
 */
function requiredInFiles(definition: UncheckedDefinition): Findings['problems'] {
  const problems: Findings['problems'] = [];
  if (typeof definition.id !== 'string' || definition.id === '') {
    problems.push({ code: 'missing-field', path: 'id', message: 'A workflow needs an id.' });
  }
  for (const path of ['inputSchema', 'outputSchema']) {
    if (definition[path] === null) {
      problems.push({ code: 'missing-field', path, message: `${path} is null: use {} to accept anything.` });
    }
  }
  return problems;
}
