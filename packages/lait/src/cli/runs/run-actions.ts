import { planOfPinned } from '../../config/load-plan.js';
import { UsageError } from '../../errors/errors.js';
import { declarationsOfSchema, parseInputArguments } from '../../plan/inputs.js';
import type { Plan } from '../../plan/plan.js';
import { runConflict } from '../../runs/run-errors.js';
import { newRunId } from '../../runs/run-id.js';
import { type AttentionChoice, openQuestion } from '../../runs/run-questions.js';
import type { RunRecord } from '../../runs/run-record.js';
import { isTerminal } from '../../runs/run-status.js';
import type { JsonObject, JsonValue } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { configuredLait } from '../run/configured-lait.js';
import { readInputJson } from '../run/read-call.js';
import { RunDisplay } from '../run/run-display.js';
import { type ContinueOptions, continueRun } from './continue-run.js';
import type { StoreOptions } from './recorded-runs.js';

/** `lait runs approve`: consents to everything that a run will do. */
export function approveRun(
  name: string,
  options: ContinueOptions,
  context: CommandContext,
): Promise<ExitCode> {
  return continueRun(name, (runs, { run_id }) => runs.approve(run_id), options, context);
}

export interface AnswerOptions extends Omit<ContinueOptions, 'json'> {
  /** The answer as JSON text. */
  json?: string;
}

/**
 * `lait runs answer RUN_ID [ADDRESS] ANSWER`; a step id may stand for the address. Without an answer the person at the
 * terminal is asked. The question is the one that is open when the command starts: an answer that comes too late never
 * answers the next one.
 */
export function answerRun(
  name: string,
  words: readonly string[],
  { json, ...options }: AnswerOptions,
  context: CommandContext,
): Promise<ExitCode> {
  return continueRun(
    name,
    async (runs, record, { replies }) => {
      const { name: named, answer } = readAnswer(words, json, record);
      const address = named === undefined ? undefined : addressOf(named, record);
      if (record.status !== 'waiting_hitl') throw runConflict(record, 'asks nothing');
      if (answer === undefined && address === undefined && replies.scripted !== undefined) return record;
      const asked = openQuestion(record, 'hitl', address);
      const reply = answer === undefined ? await replies.answer(asked, context.signal) : { answer };
      if (reply === undefined) throw missingAnswer(record);
      return runs.answer(record.run_id, reply.answer, asked.address);
    },
    options,
    context,
  );
}

function readAnswer(
  words: readonly string[],
  json: string | undefined,
  record: RunRecord,
): { name?: string; answer?: JsonValue } {
  const most = json === undefined ? 2 : 1;
  if (words.length > most) {
    const given = json === undefined ? 'an address and an answer' : 'an address beside --json';
    throw new UsageError({ code: 'usage', message: `give at most ${given}; quote answers with spaces` });
  }
  if (json !== undefined) return { name: words[0], answer: parseJson(json) };
  if (words.length === 2) return { name: words[0], answer: words[1]! };
  const [word] = words;
  const isAddress = record.questions.some(
    ({ address, hitl_run_id }) => word === address || word === hitl_run_id,
  );
  if (word === undefined || isAddress) return { name: word };
  return { answer: word };
}

/** A question may also be named by its step, when that asks no other one. */
function addressOf(name: string, { questions }: RunRecord): string {
  const ofStep = questions.filter(({ node_id }) => node_id === name);
  return ofStep.length === 1 ? ofStep[0]!.address : name;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new UsageError({
      code: 'answer_invalid',
      message: `--json holds no JSON: ${(error as Error).message}`,
    });
  }
}

function missingAnswer({ run_id: runId }: RunRecord): UsageError {
  return new UsageError({
    code: 'usage',
    message: `there is no terminal to ask at: give the answer, as in \`lait runs answer ${runId} ANSWER\``,
  });
}

export interface AttentionOptions extends ContinueOptions {
  address?: string;
  result?: string;
  reason?: string;
}

/** `lait runs attention`: decides about a call that may have happened. Source: graph facts §7.8. */
export function decideRun(
  name: string,
  choice: AttentionChoice,
  { address, result, reason, ...options }: AttentionOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const output = result === undefined ? undefined : parseJson(result);
  return continueRun(
    name,
    (runs, { run_id, questions }) =>
      runs.attention(run_id, choice, {
        address: address ?? (questions.length === 1 ? questions[0]!.address : undefined),
        ...(output !== undefined && { output }),
        ...(reason !== undefined && { reason }),
      }),
    options,
    context,
  );
}

/**
 * `lait runs resume`: lets a run go on that was interrupted, whose process was lost, or that waits for what can be
 * given here. Throws `run_conflict` for one that has ended.
 */
export function resumeRun(
  name: string,
  options: ContinueOptions,
  context: CommandContext,
): Promise<ExitCode> {
  return continueRun(
    name,
    async (runs, record) => {
      if (isTerminal(record.status))
        throw runConflict(record, 'has ended and cannot go on; `lait runs rerun` repeats it');
      return record.status === 'interrupted' ? runs.resume(record.run_id) : record;
    },
    options,
    context,
  );
}

export interface RerunOptions extends ContinueOptions {
  from?: string;
  input?: string[];
  inputJson?: string;
}

/** `lait runs rerun`: repeats a run that has ended as a new one, whole or from a node on. Source: graph facts §7.11. */
export function rerunRun(name: string, options: RerunOptions, context: CommandContext): Promise<ExitCode> {
  return continueRun(
    name,
    async (runs, record) => {
      const plan = await planOfPinned(record.definition);
      const given = await givenInputs(options, plan, context);
      const isStart = options.from === 'start' && !plan.body.nodes.some(({ id }) => id === 'start');
      const again = await runs.rerun(record.run_id, {
        ...given,
        ...(options.from !== undefined && !isStart && { from: options.from }),
        runId: newRunId(),
      });
      if (options.quiet !== true) context.output.note(`run recorded as '${again.run_id}'`);
      return again;
    },
    options,
    context,
  );
}

/** What `--input-json` and `--input` give, read as the workflow of the run declares it. */
async function givenInputs(
  { input, inputJson }: RerunOptions,
  plan: Plan,
  { output, signal }: CommandContext,
): Promise<{ inputs?: JsonValue; changedInputs?: JsonObject }> {
  const declared = plan.inputs ?? declarationsOfSchema(plan.inputSchema);
  const { inputs, warnings } = parseInputArguments(declared, input ?? []);
  for (const warning of warnings) output.warning(warning);
  return {
    ...(inputJson !== undefined && { inputs: await readInputJson(inputJson, signal) }),
    ...(input !== undefined && { changedInputs: inputs }),
  };
}

/** `lait runs cancel`: ends a run that waits, and asks one that is worked on to stop. */
export async function cancelRun(
  name: string,
  options: StoreOptions & { json?: true },
  context: CommandContext,
): Promise<ExitCode> {
  const display = new RunDisplay({ progress: 'plain', quiet: true }, context);
  const configured = await configuredLait(await context.configuration(), options, context, display);
  try {
    const { run_id: runId } = await configured.records.find(name, 'show');
    const runs = await configured.lait.runs();
    let record = await runs.cancel(runId);
    // Nobody is left to stop a run whose process was lost: what it was doing is looked at here.
    if (record.status === 'cancelling') record = await runs.drive(runId, { takeOver: true });
    if (options.json === true) await context.output.writeJson({ run_id: runId, status: record.status });
    else context.output.note(`run '${runId}' is ${record.status}`);
    return exitCodes.ok;
  } finally {
    await configured.close();
  }
}
