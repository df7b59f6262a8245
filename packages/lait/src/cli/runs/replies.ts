import type { Question } from '../../engine/question.js';
import { isLaitError } from '../../errors/lait-error.js';
import { attentionEvidence } from '../../kinds/attention.js';
import { answerInvalid } from '../../runs/run-errors.js';
import { type AttentionChoice, checkAnswer } from '../../runs/run-questions.js';
import type { RunQuestion } from '../../runs/run-record.js';
import { printable } from '../../values/printable.js';
import type { JsonValue } from '../../values/value.js';
import type { Output } from '../output.js';
import type { Terminal } from '../terminal.js';
import type { ScriptedAnswers } from './scripted-answers.js';

/** A decision about a call whose outcome is not known. */
export interface Decision {
  choice: AttentionChoice;
  output?: JsonValue;
}

/**
 * What can be answered here: from a file, by the person at the terminal, or with a question's default. Without a terminal
 * nobody is asked and nothing is waited for. Source: field report FR-38.
 */
export class Replies {
  constructor(
    private readonly terminal: Terminal,
    private readonly output: Output,
    readonly scripted: ScriptedAnswers | undefined,
  ) {}

  /** The answer to a question; undefined when it must be left open. Throws `answer_invalid` for what a file says. */
  async answer(asked: RunQuestion, signal: AbortSignal): Promise<{ answer: JsonValue } | undefined> {
    const { address, question } = asked;
    const scripted = this.scripted?.find(address, question);
    if (scripted !== undefined) return { answer: checkAnswer(asked, scripted.answer) };
    if (this.terminal.available) {
      return this.#ask(shown(question), signal, (text) => checkAnswer(asked, read(question, text)));
    }
    return question.default === undefined ? undefined : { answer: checkAnswer(asked, question.default) };
  }

  /** Names what a file answers and nobody asked: most often a mistyped step id. */
  warnOfUnused(): void {
    for (const name of this.scripted?.unused ?? [])
      this.output.warning(`--answers: '${name}' named no question that was asked`);
  }

  /** Whether a person consents. */
  async consents(text: string, signal: AbortSignal): Promise<boolean> {
    if (!this.terminal.available) return false;
    const question: Question = { type: 'select', text, choices: ['yes', 'no'] };
    const reply = await this.#ask(question, signal, yesOrNo);
    return reply?.answer === true;
  }

  /** What a person decides about a call that may have happened. */
  async decision({ question }: RunQuestion, signal: AbortSignal): Promise<Decision | undefined> {
    if (!this.terminal.available) return undefined;
    const choices: AttentionChoice[] = ['adopt', 'reexecute', 'fail', 'interrupt'];
    const reply = await this.#ask({ type: 'select', text: question.text, choices }, signal, (text) =>
      checkAnswer({ address: '', question: { type: 'select', text: '', choices } }, text),
    );
    if (reply === undefined) return undefined;
    const choice = reply.answer as AttentionChoice;
    if (choice !== 'adopt' || attentionEvidence(question).output !== undefined) return { choice };
    const stated = await this.#ask(
      { type: 'text', text: 'What did the call give? (JSON)' },
      signal,
      readJson,
    );
    return stated === undefined ? undefined : { choice, output: stated.answer };
  }

  /** Asks until the answer fits; undefined when the input ends. */
  async #ask(
    question: Question,
    signal: AbortSignal,
    check: (text: string) => JsonValue,
  ): Promise<{ answer: JsonValue } | undefined> {
    for (;;) {
      try {
        return { answer: check(await this.terminal.answer(question, signal)) };
      } catch (error) {
        if (!isLaitError(error) || !['answer_invalid', 'no_answer'].includes(error.code)) throw error;
        this.output.line(error.message);
        if (error.code === 'no_answer') return undefined;
      }
    }
  }
}

/** The question as a person sees it. */
function shown(question: Question): Question {
  const { type, text, payload } = question;
  if (type === 'boolean') return { type: 'text', text, choices: ['yes', 'no'] };
  if (type !== 'resume') return question;
  const about = payload === undefined ? '' : `\n${printable(JSON.stringify(payload, null, 2))}`;
  return { type: 'text', text: `${text}${about}\nAnswer (JSON)` };
}

function read({ type }: Question, text: string): JsonValue {
  if (type === 'boolean') return yesOrNo(text);
  return type === 'resume' ? readJson(text) : text;
}

function yesOrNo(text: string): JsonValue {
  const reply = text.trim().toLowerCase();
  if (['y', 'yes', 'true'].includes(reply)) return true;
  if (['n', 'no', 'false'].includes(reply)) return false;
  throw answerInvalid("answer with 'yes' or 'no'");
}

function readJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw answerInvalid(`the answer is no JSON: ${(error as Error).message}`);
  }
}
