import type { FieldProblem } from '../plan/fields.js';
import { isObject, type JsonObject, type JsonValue, ownProperty } from '../values/value.js';

const types = ['noul', 'choice', 'score'] as const;
const questionFields = ['type', 'instructions', 'criteria'];

/** JSON Schema of the questions of `decide`, for editors. */
export const questionsSchema: JsonObject = {
  type: 'object',
  minProperties: 1,
  additionalProperties: {
    type: 'object',
    required: ['type'],
    additionalProperties: false,
    properties: {
      type: {
        enum: [...types],
        description:
          'noul: yes or no with a probability; choice: one of the options; score: a place on a scale.',
      },
      instructions: { type: ['string', 'object', 'array'], description: 'What is asked.' },
      criteria: {
        type: ['object', 'array'],
        description: 'noul: what true and false mean; choice: 2 to 255 options; score: 2 to 10 levels.',
      },
    },
  },
};

/** Checks the questions of a `decide` step before anything runs. Source: facts §10. */
export function checkQuestions(questions: JsonValue): FieldProblem[] {
  if (!isObject(questions))
    return [{ path: [], message: 'the questions must be a mapping from names to questions' }];
  const names = Object.keys(questions);
  if (names.length === 0) return [{ path: [], message: 'at least one question is needed' }];
  return names.flatMap((name) => {
    const problems = checkQuestion(questions[name]!);
    return problems.map(({ path, message }) => ({
      path: [name, ...path],
      message: `question '${name}': ${message}`,
    }));
  });
}

function checkQuestion(question: JsonValue): FieldProblem[] {
  if (!isObject(question))
    return [{ path: [], message: 'must be a mapping with type, instructions and criteria' }];
  const problems: FieldProblem[] = Object.keys(question)
    .filter((field) => !questionFields.includes(field))
    .map((field) => ({
      path: [field],
      message: `unknown field '${field}'; allowed are ${questionFields.join(', ')}`,
    }));
  const instructions = ownProperty(question, 'instructions');
  if (instructions !== undefined && typeof instructions !== 'string' && !isContainer(instructions)) {
    problems.push({ path: ['instructions'], message: 'instructions must be text, a mapping or a list' });
  }
  const type = ownProperty(question, 'type');
  const criteria = ownProperty(question, 'criteria');
  switch (type) {
    case 'noul':
      return [...problems, ...checkNoul(criteria)];
    case 'choice':
      return [...problems, ...checkChoice(criteria)];
    case 'score':
      return [...problems, ...checkScore(criteria)];
    case undefined:
      return [...problems, { path: [], message: `type is missing: ${types.join(', ')}` }];
    default:
      return [
        ...problems,
        { path: ['type'], message: `unknown type ${JSON.stringify(type)}; use ${types.join(', ')}` },
      ];
  }
}

function checkNoul(criteria: JsonValue | undefined): FieldProblem[] {
  if (criteria === undefined) return [];
  if (!isObject(criteria)) return [wrong('criteria of a noul is a mapping with true, false or both')];
  return Object.keys(criteria)
    .filter((key) => key !== 'true' && key !== 'false')
    .map((key) => ({
      path: ['criteria', key],
      message: `criteria of a noul knows only true and false, not '${key}'`,
    }));
}

function checkChoice(criteria: JsonValue | undefined): FieldProblem[] {
  const options = isObject(criteria) ? Object.keys(criteria).length : 0;
  if (options >= 2 && options <= 255) return [];
  return [wrong('criteria of a choice must name 2 to 255 options')];
}

function checkScore(criteria: JsonValue | undefined): FieldProblem[] {
  if (!Array.isArray(criteria) || criteria.length < 2 || criteria.length > 10) {
    return [wrong('criteria of a score must be a list of 2 to 10 levels')];
  }
  return criteria.flatMap((level, index) =>
    level === null ? [{ path: ['criteria', index], message: 'a level must say what it means' }] : [],
  );
}

function wrong(message: string): FieldProblem {
  return { path: ['criteria'], message };
}

function isContainer(value: JsonValue): boolean {
  return isObject(value) || Array.isArray(value);
}
