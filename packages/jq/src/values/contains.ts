import type { Context } from '../compile/context.js';
import { maximumValueDepth } from '../limits.js';
import { equal } from './compare.js';
import { describe } from './describe.js';
import { isObject, type JsonValue, typeName } from './json.js';
import { raise } from './raise.js';

/** A check of several alternatives or requirements that is not decided yet. */
interface Check {
  /** True: every question must hold. False: one is enough. */
  readonly all: boolean;
  readonly questions: Iterator<Question>;
  readonly depth: number;
}

/** Either "is `part` in `whole`?", or "is `part` in one of the elements of `whole`?". */
interface Question {
  readonly whole: JsonValue;
  readonly part: JsonValue;
  readonly inElements: boolean;
}

/**
 * Whether `part` is in `whole`: text in text, elements in arrays, entries in objects. Asks its questions on an
 * explicit stack, so that deep values cannot overflow the native one.
 */
export function contains(whole: JsonValue, part: JsonValue, context: Context): boolean {
  // To jq, true and false are of different types.
  const differ = typeName(whole) !== typeName(part) || (typeof whole === 'boolean' && whole !== part);
  if (differ) {
    return raise(`${describe(whole)} and ${describe(part)} cannot have their containment checked`);
  }
  const checks: Check[] = [];
  let answer = ask({ whole, part, inElements: false }, 0, checks, context);
  for (let check = checks.at(-1); check !== undefined; check = checks.at(-1)) {
    context.step();
    if (answer !== null && answer !== check.all) checks.pop();
    else {
      const next = check.questions.next();
      if (next.done !== true) {
        answer = ask(next.value, check.depth, checks, context);
        continue;
      }
      checks.pop();
      answer = check.all;
    }
  }
  return answer === true;
}

/** Answers a question, or opens a check of further ones and answers null. */
function ask(question: Question, depth: number, checks: Check[], context: Context): boolean | null {
  const { whole, part, inElements } = question;
  if (depth > maximumValueDepth) return raise('Containment check too deep');
  if (inElements) {
    checks.push({ all: false, questions: eachElement(whole as JsonValue[], part), depth });
    return null;
  }
  if (typeName(whole) !== typeName(part)) return false;
  if (isObject(whole) && isObject(part)) {
    const keys = Object.keys(part);
    if (!keys.every((key) => Object.hasOwn(whole, key))) return false;
    const questions = keys.map((key) => ({
      whole: whole[key] ?? null,
      part: part[key] ?? null,
      inElements: false,
    }));
    checks.push({ all: true, questions: questions.values(), depth: depth + 1 });
    return null;
  }
  if (Array.isArray(whole) && Array.isArray(part)) {
    const questions = part.map((wanted) => ({ whole, part: wanted, inElements: true }));
    checks.push({ all: true, questions: questions.values(), depth: depth + 1 });
    return null;
  }
  if (typeof whole === 'string' && typeof part === 'string') {
    context.chargeText(whole.length);
    return whole.includes(part);
  }
  return equal(whole, part, context);
}

function* eachElement(elements: readonly JsonValue[], part: JsonValue): Generator<Question> {
  for (const whole of elements) yield { whole, part, inElements: false };
}
