import type { RunEvent, StepFields } from '../engine/events.js';
import { preview, printable } from '../values/printable.js';
import { shownJson } from '../values/text.js';

export interface ProgressLinesOptions {
  /** 1 and above adds model and tool calls. Default 0. */
  verbosity?: number;
}

/**
 * Turns the events of one run into lines for people, a pure function of the events so far: `==> NAME: DESCRIPTION`,
 * `PREFIX[N] LABEL`, details behind `->`, notes and warnings. Child workflows are indented. Source: facts §14.
 */
export class ProgressLines {
  readonly #verbosity: number;
  /** Failures that a line has told of: the steps around a failed one say the same again. */
  readonly #told: string[] = [];

  constructor(options: ProgressLinesOptions = {}) {
    this.#verbosity = options.verbosity ?? 0;
  }

  /** The lines that an event adds, without line breaks; most often one or none. */
  lines(event: RunEvent): string[] {
    switch (event.type) {
      case 'run.started':
        return [heading(event, 0)];
      case 'workflow.started':
        return [heading(event, event.depth)];
      case 'step.started':
        return [step(event)];
      case 'step.skipped':
        return [`${step(event)} (skipped)`];
      case 'case.matched':
        return [detail(event, preview(event.title))];
      case 'iteration.started':
        return [detail(event, iteration(event))];
      case 'branches.joined':
        return [detail(event, `joined ${event.keys.join(', ')}`)];
      case 'attempt.failed':
        return this.#attempt(event);
      case 'handler.started':
        return [detail(event, `on_error: ${preview(event.error.message, 500)}`)];
      case 'sleep.started':
        return [detail(event, `waiting until ${new Date(event.until).toISOString()}`)];
      case 'note':
      case 'warning':
        return [remark(event)];
      case 'model.requested':
        return this.#verbose(`${event.label}: asks ${event.model}${round(event.round)}`);
      case 'model.responded':
        return this.#verbose(`${event.label}: ${event.model} answered (${event.source})${tokens(event)}`);
      case 'tool.called':
        return this.#verbose(`${event.label}: calls ${event.tool} ${preview(shownJson(event.arguments))}`);
      case 'tool.completed':
        return this.#verbose(
          `${event.label}: ${event.tool} ${event.isError ? 'failed' : 'gave'} ${preview(event.result)}`,
        );
      case 'history.compacted':
        return this.#verbose(`${event.label}: ${event.removed} messages replaced by a summary`);
      default:
        return [];
    }
  }

  #attempt(event: Extract<RunEvent, { type: 'attempt.failed' }>): string[] {
    const { message } = event.error;
    const told = this.#told.some((earlier) => message.endsWith(earlier));
    if (!told) this.#told.push(message);
    if (event.maxAttempts === 1) {
      // The step of a branch is told of because its siblings go on; elsewhere the run's own last line says it.
      return told || event.prefix === '' ? [] : [detail(event, `failed: ${preview(message, 500)}`)];
    }
    const last = event.attempt >= event.maxAttempts;
    const next = last ? '' : event.waitSeconds > 0 ? `; next in ${event.waitSeconds} s` : '; next now';
    const text = `attempt ${event.attempt}/${event.maxAttempts} failed: ${preview(message, 500)}${next}`;
    return [detail(event, text)];
  }

  #verbose(text: string): string[] {
    return this.#verbosity >= 1 ? [`    ${preview(text, 1000)}`] : [];
  }
}

function heading(event: { name?: string; description?: string; workflow: string }, depth: number): string {
  const name = preview(event.name ?? event.workflow);
  const description = event.description === undefined ? '' : `: ${preview(event.description, 500)}`;
  return `${indentation(depth)}==> ${name}${description}`;
}

function step({ depth, prefix, number, label }: StepFields): string {
  return `${indentation(depth)}${printable(prefix)}[${number}] ${preview(label)}`;
}

function detail({ depth, prefix }: StepFields, text: string): string {
  return `${indentation(depth)}${printable(prefix)}    -> ${text}`;
}

function remark(event: { type: string; message: string; prefix?: string; depth?: number }): string {
  const start = `${indentation(event.depth ?? 0)}${printable(event.prefix ?? '')}`;
  return `${start}${event.type}: ${printable(event.message)}`;
}

function iteration(event: Extract<RunEvent, { type: 'iteration.started' }>): string {
  if (event.count !== undefined) return `item ${event.index + 1}/${event.count}`;
  const most = event.maxIterations === undefined ? '' : `/${event.maxIterations}`;
  return `iteration ${event.index + 1}${most}`;
}

function round(number: number): string {
  return number > 1 ? ` (round ${number})` : '';
}

function tokens({ usage }: Extract<RunEvent, { type: 'model.responded' }>): string {
  if (usage === null) return '';
  const input = usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens;
  return `, ${input} tokens in, ${usage.outputTokens} out`;
}

function indentation(depth: number): string {
  return '  '.repeat(depth);
}
