import type { RunEvent } from '../engine/events.js';
import { preview, printable } from '../values/printable.js';
import { fitWidth } from './fit-width.js';
import type { UsageReport } from './usage-report.js';

/** What the view needs of a terminal. */
export interface LiveTerminal {
  write(text: string): void;
  readonly columns: number;
  /** False for NO_COLOR. */
  readonly color: boolean;
  /** Milliseconds of a clock that never runs back. */
  now(): number;
}

interface ActiveStep {
  text: string;
  startedAt: number;
  model?: string;
  /** Pieces of the reply that have arrived. */
  pieces: number;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const mostRows = 6;
const redrawMilliseconds = 100;

/**
 * Shows below the progress lines what runs right now: the innermost steps with the time they have taken and the model
 * they wait for, and the tokens of the run so far. Lines above it stay.
 */
export class LiveView {
  readonly #terminal: LiveTerminal;
  readonly #usage: UsageReport;
  readonly #active = new Map<string, ActiveStep>();
  readonly #startedAt: number;
  #drawnRows = 0;
  #frame = 0;
  #paused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(terminal: LiveTerminal, usage: UsageReport) {
    this.#terminal = terminal;
    this.#usage = usage;
    this.#startedAt = terminal.now();
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#frame += 1;
      this.#redraw();
    }, redrawMilliseconds).unref();
  }

  /** Prints text that stays above the view. */
  print(text: string): void {
    this.#erase();
    this.#terminal.write(text);
    this.#redraw();
  }

  /** Makes room for a question. */
  pause(): void {
    this.#erase();
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#redraw();
  }

  /** Takes the view away. */
  stop(): void {
    clearInterval(this.#timer);
    this.#erase();
    this.#paused = true;
  }

  handle(event: RunEvent): void {
    switch (event.type) {
      case 'step.started': {
        const text = printable(`${event.prefix}[${event.number}] `) + preview(event.label, 80);
        this.#active.set(event.address, { text, startedAt: this.#terminal.now(), pieces: 0 });
        break;
      }
      case 'step.completed':
      case 'step.failed':
        this.#active.delete(event.address);
        break;
      case 'model.requested':
        this.#update(event.address, (step) => {
          step.model = preview(event.model, 60);
          step.pieces = 0;
        });
        break;
      case 'model.token':
        this.#update(event.address, (step) => {
          step.pieces += 1;
        });
        break;
      case 'model.responded':
      case 'model.failed':
        this.#update(event.address, (step) => {
          step.model = undefined;
        });
        break;
    }
  }

  /** The rows as they are drawn now, without colours. */
  rows(): string[] {
    const now = this.#terminal.now();
    const steps = [...this.#active].filter(([address]) => this.#isInnermost(address)).map(([, step]) => step);
    const spinner = frames[this.#frame % frames.length]!;
    const rows = steps.slice(-mostRows).map((step) => {
      const tokens = step.pieces > 0 ? ` · ${step.pieces} tokens` : '';
      const model = step.model === undefined ? '' : ` · ${step.model}${tokens}`;
      return `${spinner} ${step.text} · ${seconds(now - step.startedAt)}${model}`;
    });
    if (steps.length > mostRows) rows.unshift(`  … and ${steps.length - mostRows} more`);
    const { calls, input, output } = this.#usage.counts();
    const usage = calls === 0 ? '' : ` · ${calls} model calls · ${input} tokens in, ${output} out`;
    rows.push(`  ${seconds(now - this.#startedAt)}${usage}`);
    return rows.map((row) => fitWidth(row, this.#terminal.columns - 1));
  }

  /** An effect's address continues its step's, and a nested step's continues that of the step around it. */
  #update(address: string, change: (step: ActiveStep) => void): void {
    let best = '';
    for (const candidate of this.#active.keys()) {
      if (address.startsWith(candidate) && candidate.length > best.length) best = candidate;
    }
    const step = this.#active.get(best);
    if (step !== undefined) change(step);
  }

  #isInnermost(address: string): boolean {
    for (const other of this.#active.keys()) {
      if (other.length > address.length && other.startsWith(address)) return false;
    }
    return true;
  }

  #redraw(): void {
    if (this.#paused || this.#timer === undefined) return;
    this.#erase();
    const rows = this.rows();
    const text = rows.map((row) => (this.#terminal.color ? `\u001b[2m${row}\u001b[22m` : row)).join('\n');
    this.#terminal.write(`${text}\n`);
    this.#drawnRows = rows.length;
  }

  #erase(): void {
    if (this.#drawnRows > 0) this.#terminal.write(`\u001b[${this.#drawnRows}A\r\u001b[J`);
    this.#drawnRows = 0;
  }
}

function seconds(milliseconds: number): string {
  const total = milliseconds / 1000;
  if (total < 60) return `${total.toFixed(1)}s`;
  return `${Math.floor(total / 60)}m${String(Math.floor(total % 60)).padStart(2, '0')}s`;
}
