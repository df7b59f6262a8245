import { isAbsolute, join, relative } from 'node:path';
import type { Configuration } from '../../config/configuration.js';
import type { Snapshot } from '../../engine/runtime.js';
import { UsageError } from '../../errors/errors.js';
import { kinds } from '../../kinds/index.js';
import { loadChildren } from '../../plan/load-children.js';
import type { Plan } from '../../plan/plan.js';
import type { Checkpoint } from '../../runs/checkpoint.js';
import type { CheckpointClaim } from '../../runs/checkpoint-claim.js';
import { CheckpointRecorder } from '../../runs/checkpoint-recorder.js';
import { CheckpointStore } from '../../runs/checkpoint-store.js';
import { restoredForm } from '../../runs/restored-checkpoint.js';
import { continued, newCheckpoint, requireStepList, snapshotOf, startedFrom } from '../../runs/resume.js';
import { newRunId } from '../../runs/run-id.js';
import { SecretReferences } from '../../runs/secret-references.js';
import type { JsonObject, Value } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import { planServices } from '../plan-services.js';
import { quoteCommand, usualShell } from '../shell-quote.js';
import { continuesRun, type RecordOptions } from './record-options.js';

export interface RecordRequest {
  plan: Plan;
  /** FILE as the person gave it. */
  file: string;
  /** The absolute path it stands for. */
  path: string;
  /** PROMPT, and what `--input` gives; undefined without one. */
  input: Value;
  given: JsonObject | undefined;
  options: RecordOptions;
  configuration: Configuration;
  context: CommandContext;
}

/**
 * Opens the record of a run: a new one, one that is continued (`--resume`), or a new one that begins inside another
 * (`--from`). It is on the disk before anything runs. Throws what `CheckpointStore` and `resume.ts` throw.
 */
export async function openRunRecord(request: RecordRequest): Promise<RunRecord> {
  const { plan, options, context, configuration } = request;
  requireStepList(plan);
  requireInsideStep('--keep-items', options.keepItems, options);
  requireInsideStep('--max-tool-rounds', options.maxToolRounds, options);
  const store = new CheckpointStore(join(context.workingDirectory, '.lait'));
  const sources = [...(await sourcesOf(plan, context)), JSON.stringify(configuration.values)];
  const references = new SecretReferences(await context.variables(), context.secrets, sources);
  const onWarning = (message: string) => context.output.warning(message);
  const workflowPath = pathInRecord(request.path, context.workingDirectory);
  const { claim, checkpoint } = continuesRun(options)
    ? await openRecorded({ ...request, store, references, workflowPath, onWarning })
    : await openNew(request, store, workflowPath);
  const recorder = new CheckpointRecorder({
    store,
    references,
    claim,
    plan,
    checkpoint,
    keepItems: options.keepItems === true,
    maxToolRounds: options.maxToolRounds,
    onWarning,
  });
  try {
    await recorder.begin();
  } catch (error) {
    await claim.release();
    throw error;
  }
  return new RunRecord(recorder, request, continuesRun(options) ? snapshotOf(checkpoint) : undefined);
}

function requireInsideStep(flag: string, given: unknown, { resume, from }: RecordOptions): void {
  if (given === undefined || (resume !== undefined && from === undefined)) return;
  throw new UsageError({
    code: 'options_exclude',
    message: `${flag} goes with --resume, and not with --from: it goes on inside the interrupted step`,
  });
}

/** The texts of a workflow and of the children it can reach: they name the variables whose values are kept out. */
async function sourcesOf(plan: Plan, context: CommandContext): Promise<string[]> {
  const { workflows } = await planServices(context);
  const { children } = await loadChildren(plan, { kinds, workflows, signal: context.signal });
  return [plan, ...new Set(children.values())].flatMap(({ sources }) => sources.map(({ text }) => text));
}

interface Opened {
  claim: CheckpointClaim;
  checkpoint: Checkpoint;
}

async function openNew(
  { plan, input, given }: RecordRequest,
  store: CheckpointStore,
  workflowPath: string,
): Promise<Opened> {
  const start = plan.accept({ value: input, inputs: given ?? {} });
  const checkpoint = newCheckpoint(newRunId(), workflowPath, plan, start);
  return { claim: await store.claim(checkpoint.run_id), checkpoint };
}

interface RecordedRequest extends RecordRequest {
  store: CheckpointStore;
  references: SecretReferences;
  workflowPath: string;
  onWarning: (message: string) => void;
}

async function openRecorded(request: RecordedRequest): Promise<Opened> {
  const { store, references, options, plan, workflowPath, given, onWarning } = request;
  const { from } = options;
  const runId = await store.resolve(
    options.resume ?? 'latest',
    options.resume === undefined ? workflowPath : undefined,
  );
  const restore = async () => {
    let masked = false;
    const checkpoint = restoredForm(await store.read(runId), references, () => {
      masked = true;
    });
    if (masked) {
      onWarning(`run '${runId}' recorded values that held a secret; they go on with [REDACTED] in its place`);
    }
    return checkpoint;
  };
  if (from !== undefined) {
    const checkpoint = startedFrom(await restore(), from, plan, workflowPath, given, {
      runId: newRunId(),
      kinds,
    });
    return { claim: await store.claim(checkpoint.run_id), checkpoint };
  }
  // Whether there is such a run is said before anything is claimed; what it holds is read again under the claim.
  await store.read(runId);
  const claim = await store.claim(runId);
  try {
    const checkpoint = continued(await restore(), plan, workflowPath, given, onWarning);
    if (options.maxToolRounds !== undefined && checkpoint.conversation === undefined) {
      throw new UsageError({
        code: 'conversation_not_kept',
        message: `--max-tool-rounds: no step of the top level of run '${runId}' ran out of tool rounds, so that there is no conversation to go on with`,
      });
    }
    return { claim, checkpoint };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** The record of the run under way, and what the engine needs of it. */
export class RunRecord {
  constructor(
    private readonly recorder: CheckpointRecorder,
    private readonly request: RecordRequest,
    /** Where the engine goes on; undefined for the beginning. */
    private readonly from: Snapshot | undefined,
  ) {}

  get runOptions() {
    const { recorder, from } = this;
    const { run_id: runId, initial_input: input, inputs } = recorder.checkpoint;
    return {
      runId,
      input,
      inputs: inputs as JsonObject,
      from,
      onSnapshot: recorder.onSnapshot,
      itemLog: recorder.itemLog,
      conversationLog: recorder.conversationLog,
    };
  }

  complete(): Promise<void> {
    return this.recorder.complete();
  }

  /** Saves how far the run came and tells the person how to go on. */
  async fail(error: unknown): Promise<void> {
    await this.recorder.fail(error);
    const { context } = this.request;
    context.output.note(
      `run checkpointed as '${this.recorder.runId}'; resume with \`${await this.#resumeCommand()}\``,
    );
    const { items, conversation } = this.recorder.checkpoint;
    const finished = Object.keys(items?.results ?? {}).length;
    if (finished > 0) {
      const what =
        finished === 1
          ? '1 finished item of the for_each is'
          : `${finished} finished items of the for_each are`;
      context.output.note(`${what} kept: add --keep-items, and the resume does not repeat what is finished`);
    }
    if (conversation === undefined) return;
    context.output.note(
      `the conversation of '${conversation.step}' is kept: the resume goes on with it for as many exchanges as the step allows, or for N with --max-tool-rounds N`,
    );
  }

  async #resumeCommand(): Promise<string> {
    const { file, context } = this.request;
    const { config, dotenv } = context.options;
    const command = ['lait', 'run', file, '--resume', this.recorder.runId];
    if (config === false) command.push('--no-config');
    else if (config !== undefined) command.push('--config', config);
    if (!dotenv) command.push('--no-env');
    return quoteCommand(command, usualShell(process.platform, await context.variables()));
  }
}

/** Relative to the working directory when it lies below, so that the directory can be moved. */
function pathInRecord(path: string, workingDirectory: string): string {
  const name = relative(workingDirectory, path);
  return name.startsWith('..') || isAbsolute(name) ? path : name;
}
