import type { Variables } from '../../config/environment.js';
import type { RunEvent } from '../../engine/events.js';
import type { LiveView } from '../../observe/live-view.js';
import { ProgressLines } from '../../observe/progress-lines.js';
import type { UsageReport } from '../../observe/usage-report.js';
import type { Output } from '../output.js';

export interface ProgressDisplayOptions {
  output: Output;
  /** Where standard error goes. */
  stream: { isTTY?: boolean; columns?: number };
  variables: Variables;
  mode: 'auto' | 'live' | 'plain';
  quiet: boolean;
  verbosity: number;
  usage: UsageReport;
}

/** Shows a run on standard error: plain lines, and on a terminal a live view below them. */
export class ProgressDisplay {
  readonly #options: ProgressDisplayOptions;
  readonly #lines: ProgressLines;
  readonly #live: LiveView | undefined;

  private constructor(options: ProgressDisplayOptions, live: LiveView | undefined) {
    this.#options = options;
    this.#lines = new ProgressLines({ verbosity: options.verbosity });
    this.#live = live;
  }

  /** Starts showing; the live view is loaded only where there is one. */
  static async start(options: ProgressDisplayOptions): Promise<ProgressDisplay> {
    const live = showsLive(options) ? await liveView(options) : undefined;
    live?.start();
    return new ProgressDisplay(options, live);
  }

  handle(event: RunEvent): void {
    this.#live?.handle(event);
    if (this.#options.quiet && event.type !== 'warning') return;
    for (const line of this.#lines.lines(event)) this.print(`${line}\n`);
  }

  /** Prints text above the live view. */
  print(text: string): void {
    if (this.#live === undefined) this.#options.output.message(text);
    else this.#live.print(text);
  }

  /** Makes room for a question, or for text that is written piece by piece. */
  pause(): void {
    this.#live?.pause();
  }

  resume(): void {
    this.#live?.resume();
  }

  stop(): void {
    this.#live?.stop();
  }
}

function showsLive({ mode, quiet, stream, variables }: ProgressDisplayOptions): boolean {
  if (quiet || mode === 'plain') return false;
  if (mode === 'live') return true;
  return stream.isTTY === true && variables.TERM !== 'dumb' && (variables.CI ?? '') === '';
}

async function liveView({ output, stream, variables, usage }: ProgressDisplayOptions): Promise<LiveView> {
  const { LiveView } = await import('../../observe/live-view.js');
  return new LiveView(
    {
      write: (text) => output.message(text),
      get columns() {
        return stream.columns || 80;
      },
      color: (variables.NO_COLOR ?? '') === '',
      now: () => performance.now(),
    },
    usage,
  );
}
