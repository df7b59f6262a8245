import type { Question } from '../../engine/question.js';
import { UsageError } from '../../errors/errors.js';
import { readTextFile } from '../../files/read-file.js';
import { kinds } from '../../kinds/index.js';
import type { Plan } from '../../plan/plan.js';
import { Problems } from '../../plan/problems.js';
import { readYamlValue } from '../../plan/yaml/read-yaml-value.js';
import { NodePlaces } from '../../runs/node-places.js';
import { textOf } from '../../values/text.js';
import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';
import { requireFile } from '../require-file.js';

/**
 * Answers from a file, for runs without a person: an object in YAML or JSON. A key names a question by its address, by
 * the id of its step, or by its text; a list answers one time after the other. Source: field report FR-38.
 */
export class ScriptedAnswers {
  readonly #given = new Map<string, { answers: readonly JsonValue[]; once: boolean; taken: number }>();
  readonly #answered = new Map<string, JsonValue>();
  #places: NodePlaces | undefined;

  private constructor(answers: JsonObject) {
    for (const [key, value] of Object.entries(answers)) {
      const once = Array.isArray(value);
      this.#given.set(key, { answers: once ? value : [value], once, taken: 0 });
    }
  }

  /**
   * Throws a `UsageError` (code `answers_invalid`) for a file that holds no object, and what `requireFile` and reading
   * it throw.
   */
  static async read(file: string, signal: AbortSignal): Promise<ScriptedAnswers> {
    const text = await readTextFile(await requireFile(file), { signal });
    const problems = new Problems({ file, text });
    const value = readYamlValue(problems);
    if (value === undefined) throw invalid(file, problems.firstError()!);
    if (!isObject(value)) throw invalid(file, 'it must hold an object of step ids, questions or addresses');
    return new ScriptedAnswers(value);
  }

  /** Makes the ids of a workflow's steps known as names of their questions. */
  knowSteps(plan: Plan): void {
    this.#places = new NodePlaces('', plan, kinds, {});
  }

  /** The answer to the question at an address; the same one as often as it is asked for. */
  find(address: string, question: Question): { answer: JsonValue } | undefined {
    const before = this.#answered.get(address);
    if (before !== undefined) return { answer: before };
    const names = [address, this.#places?.at(address)?.node_id, question.text];
    for (const name of names) {
      const given = name === undefined ? undefined : this.#given.get(name);
      if (given === undefined || (given.once && given.taken >= given.answers.length)) continue;
      const answer = fitting(given.answers[given.once ? given.taken : 0]!, question);
      given.taken += 1;
      this.#answered.set(address, answer);
      return { answer };
    }
    return undefined;
  }

  /** Keys that named no question. */
  get unused(): string[] {
    return [...this.#given].filter(([, { taken }]) => taken === 0).map(([key]) => key);
  }
}

/** People who write YAML leave quotes out: where a text is asked for, other values are their text form. */
function fitting(answer: JsonValue, { type }: Question): JsonValue {
  return type === 'text' || type === 'select' ? textOf(answer) : answer;
}

function invalid(file: string, reason: string): UsageError {
  return new UsageError({ code: 'answers_invalid', message: `--answers ${file}: ${reason}` });
}
