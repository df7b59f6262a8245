import { FieldCompiler } from '../../dialects/steps/compile-fields.js';
import { DefinitionError } from '../../errors/errors.js';
import { checkQuestions, questionsSchema } from '../../models/decision-questions.js';
import { ExpressionOrigins } from '../../plan/expression-origins.js';
import type { FieldType } from '../../plan/fields.js';
import { Problems } from '../../plan/problems.js';
import { readSourceFile } from '../../plan/read-source.js';
import { readYaml } from '../../plan/yaml/read-yaml.js';
import type { JsonObject } from '../../values/value.js';
import { requireFile } from '../require-file.js';

const questions: FieldType = {
  type: 'custom',
  name: 'questions',
  schema: questionsSchema,
  check: checkQuestions,
};

/**
 * Reads a file of questions and checks them as the `decide` step does. Throws a `DefinitionError`
 * (code `questions_invalid`) with every problem and its place. Source: facts §10.
 */
export async function readQuestions(file: string, signal: AbortSignal): Promise<JsonObject> {
  const source = await readSourceFile(await requireFile(file), { signal });
  const problems = new Problems(source);
  const root = readYaml(problems);
  const compiler = new FieldCompiler({
    problems,
    origins: new ExpressionOrigins(),
  });
  const value = root && compiler.value(questions, root, { field: '', block: '' });
  if (problems.errors === 0) return value as JsonObject;
  throw new DefinitionError({
    code: 'questions_invalid',
    message: `the questions in ${file} have ${problems.errors === 1 ? 'a problem' : `${problems.errors} problems`}`,
    diagnostics: problems.list(),
    sources: [source],
  });
}
