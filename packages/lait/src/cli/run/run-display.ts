import type { Configuration } from '../../config/configuration.js';
import type { RunEvent } from '../../engine/events.js';
import { pricingOf, type UsageJson, UsageReport } from '../../observe/usage-report.js';
import type { Plan } from '../../plan/plan.js';
import { printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import type { RunOptions } from '../commands/run.js';
import { ProgressDisplay } from './progress-display.js';
import { streamedStep } from './streamed-step.js';
import { TokenStream } from './token-stream.js';
import { writesFile } from './write-result.js';

/** Flags that say what is shown. */
export type DisplayOptions = Pick<
  RunOptions,
  'stream' | 'quiet' | 'progress' | 'output' | 'json' | 'showUsage'
>;

/** What is run. */
export interface Displayed {
  workflow: { plan: Plan };
  configuration: Configuration;
}

/** What a person sees of a run while it runs: progress, replies as they arrive, and what was used. */
export class RunDisplay {
  readonly #options: DisplayOptions;
  readonly #context: CommandContext;
  #usage = new UsageReport();
  #progress: ProgressDisplay | undefined;
  #tokens: TokenStream | undefined;

  constructor(options: DisplayOptions, context: CommandContext) {
    this.#options = options;
    this.#context = context;
  }

  /** Begins to show the run of a workflow. */
  async start({ workflow: { plan }, configuration }: Displayed): Promise<void> {
    const { output, options } = this.#context;
    const { stream, quiet, progress } = this.#options;
    this.#usage = new UsageReport(pricingOf(configuration.values.models, plan.settings.models));
    this.#progress = await ProgressDisplay.start({
      output,
      stream: process.stderr,
      variables: await this.#context.variables(),
      // Text that comes in pieces and a view that is drawn again and again do not fit on one screen.
      mode: stream === true ? 'plain' : progress,
      quiet: quiet === true,
      verbosity: options.verbosity,
      usage: this.#usage,
    });
    if (stream !== true) return;
    this.#tokens = new TokenStream({
      ...(writesFile(this.#options) || this.#options.json === true
        ? {}
        : { resultStep: streamedStep(plan, configuration.values.default ?? {}) }),
      // A failure to write shows again when the rest of the result is handed over.
      result: (text) => void output.write(text).catch(() => {}),
      aside: (text) => output.message(printable(text)),
    });
  }

  readonly handle = (event: RunEvent): void => {
    this.#usage.add(event);
    this.#tokens?.handle(event);
    if (event.type !== 'model.token') this.#tokens?.breakLine();
    this.#progress?.handle(event);
  };

  /** Tokens that servers reported so far; null when none did. */
  get usage(): UsageJson | null {
    return this.#usage.total();
  }

  /** What standard output has got of the result while it arrived. */
  get streamedResult(): string {
    return this.#tokens?.result ?? '';
  }

  /** Makes room for a question. */
  pause(): void {
    this.#progress?.pause();
  }

  resume(): void {
    this.#progress?.resume();
  }

  stop(): void {
    this.#progress?.stop();
  }

  /** Prints what `--show-usage` asks for. */
  showUsage(): void {
    if (this.#options.showUsage !== true) return;
    for (const line of this.#usage.text()) this.#context.output.line(line);
  }
}
