import { join, relative } from 'node:path';
import { configurationFileName } from '../../config/find-configuration.js';
import type { Snapshot } from '../../engine/runtime.js';
import { CancelledError, UsageError } from '../../errors/errors.js';
import { isLaitError } from '../../errors/lait-error.js';
import { kinds } from '../../kinds/index.js';
import { fingerprintSteps } from '../../plan/step-fingerprints.js';
import { jsonEqual } from '../../values/json-equal.js';
import { CommandContext } from '../command-context.js';
import type { RunOptions } from '../commands/run.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { planServices } from '../plan-services.js';
import { reportFailure } from '../report-failure.js';
import { type OpenedWorkflow, openWorkflow } from './open-workflow.js';
import { type CommandCall, readCall } from './read-call.js';
import { RunDisplay } from './run-display.js';
import { type FileState, lookAtFiles, waitForChange } from './watch-files.js';
import { handOver, resultText } from './write-result.js';

/** What a round leaves for the next one. */
interface Remembered {
  fingerprints: readonly string[];
  start: unknown;
  /** The state after each top-level step that has ended. */
  snapshots: Snapshot[];
}

/**
 * `lait run --watch`: runs, waits until a file that the workflow is made of changes, and runs again. Leading steps that
 * did not change are not repeated: their values are used again. Ends with Ctrl-C.
 */
export async function watchWorkflow(
  file: string,
  prompt: string | undefined,
  options: RunOptions,
  context: CommandContext,
): Promise<ExitCode> {
  return new Watch(file, prompt, options, context).run();
}

class Watch {
  #call: CommandCall | undefined;
  #remembered: Remembered | undefined;
  #files = new Set<string>();

  constructor(
    private readonly file: string,
    private readonly prompt: string | undefined,
    private readonly options: RunOptions,
    private readonly context: CommandContext,
  ) {}

  async run(): Promise<ExitCode> {
    const { output, signal, workingDirectory } = this.context;
    this.#files.add(join(workingDirectory, this.file));
    this.#files.add(join(workingDirectory, configurationFileName));
    this.#files.add(join(workingDirectory, '.env'));
    try {
      for (;;) {
        const changed = await this.#round();
        const names = changed.map((path) => relative(workingDirectory, path)).join(', ');
        output.note(`${names} changed; running again`);
      }
    } catch (error) {
      if (signal.aborted) return exitCodes.cancelled;
      throw error;
    }
  }

  /** Runs once; gives back what has changed since the files were read. A change during the run ends it. */
  async #round(): Promise<string[]> {
    const { output, secrets, options, workingDirectory, inherited, signal } = this.context;
    const restart = new AbortController();
    const round = new CommandContext(
      output,
      AbortSignal.any([signal, restart.signal]),
      secrets,
      options,
      workingDirectory,
      inherited,
    );
    let before = await lookAtFiles(this.#files);
    const display = new RunDisplay(this.options, round);
    let changing: Promise<string[]> | undefined;
    const watch = (state: FileState) => {
      changing = waitForChange(state, signal);
      changing.then(
        () => restart.abort(new CancelledError({ message: 'the files have changed' })),
        () => {},
      );
    };
    let opened: OpenedWorkflow | undefined;
    try {
      opened = await openWorkflow(this.file, this.options, round, display);
      const { plan } = opened.workflow;
      const services = await planServices(round);
      const { steps, files } = await fingerprintSteps(plan, { kinds, services, signal: round.signal });
      this.#files = new Set([opened.path, ...this.#files, ...opened.configuration.files, ...files]);
      before = new Map([...(await lookAtFiles(this.#files)), ...before]);
      watch(before);
      await this.#execute(opened, steps, display, round);
    } catch (error) {
      // A command line that fits no version of the file so far is not repaired by waiting.
      const hopeless = isLaitError(error) && error.category === 'usage' && this.#remembered === undefined;
      if (signal.aborted || hopeless) throw error;
      display.stop();
      if (!restart.signal.aborted) await reportFailure(error, { output, verbosity: options.verbosity });
    } finally {
      display.stop();
      display.showUsage();
      await opened?.close();
    }
    if (!restart.signal.aborted) output.note('waiting for changes (Ctrl-C ends)');
    if (changing === undefined) watch(before);
    return changing!;
  }

  async #execute(
    opened: OpenedWorkflow,
    fingerprints: readonly string[],
    display: RunDisplay,
    round: CommandContext,
  ): Promise<void> {
    const { workflow } = opened;
    const { plan } = workflow;
    if (plan.body.edges !== undefined) {
      throw new UsageError({
        code: 'watch_form',
        message:
          '--watch repeats lists of steps; a graph may need consent and answers each time, so run it without',
      });
    }
    this.#call ??= await readCall(plan, this.prompt, this.options, round);
    const call = this.#call;
    const start = plan.accept({ value: call.input, inputs: call.inputs });
    const from = this.#unchanged(fingerprints, start);
    const snapshots = this.#remembered?.snapshots.slice(0, (from?.completedIndex ?? -1) + 1) ?? [];
    this.#remembered = { fingerprints, start, snapshots };
    await display.start(opened);
    if (from !== undefined) {
      const labels = plan.body.nodes.slice(0, from.completedIndex + 1).map(({ label }) => label);
      round.output.note(`unchanged, values used again: ${labels.join(', ')}`);
    }
    const result = await workflow.run({
      ...call,
      signal: round.signal,
      ...(from === undefined ? {} : { from }),
      onSnapshot: async (snapshot) => {
        snapshots[snapshot.completedIndex] = snapshot;
      },
      onEvent: display.handle,
    });
    display.stop();
    if (result.status === 'parked') return;
    const text = resultText(result.value, display.usage, this.options.json === true);
    await handOver(text, this.options, round, display.streamedResult);
  }

  /** The state behind the longest row of leading steps that are the same and have ended; undefined without any. */
  #unchanged(fingerprints: readonly string[], start: unknown): Snapshot | undefined {
    const remembered = this.#remembered;
    if (remembered === undefined || !jsonEqual(remembered.start, start)) return undefined;
    let count = 0;
    while (
      count < fingerprints.length &&
      remembered.snapshots[count] !== undefined &&
      remembered.fingerprints[count] === fingerprints[count]
    ) {
      count += 1;
    }
    return count === 0 ? undefined : remembered.snapshots[count - 1];
  }
}
