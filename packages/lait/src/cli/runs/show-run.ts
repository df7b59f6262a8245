import { UsageError } from '../../errors/errors.js';
import { type NodeRow, nodeRows } from '../../runs/node-rows.js';
import type { RunLogEvent, RunRecord } from '../../runs/run-record.js';
import { isTerminal } from '../../runs/run-status.js';
import { preview, printable } from '../../values/printable.js';
import { textOf } from '../../values/text.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { nextSteps } from './how-to-go-on.js';
import { RecordedRuns, type StoreOptions } from './recorded-runs.js';
import { recordStatus, runStore } from './run-store.js';

/** `lait runs show`: what a run of either kind has recorded, secrets as references. */
export async function showRun(
  name: string,
  options: StoreOptions & { json?: true },
  context: CommandContext,
): Promise<void> {
  const records = await RecordedRuns.of(context, options, 'show');
  try {
    const store = await records.store();
    const found = await newestOf(name, records, options, context);
    if ('checkpoint' in found) {
      const { showCheckpoint } = await import('./show-checkpoint.js');
      await showCheckpoint(found.checkpoint, options, context);
      return;
    }
    const events = await store.events(found.record.run_id);
    const status = await recordStatus(found.record, options, context);
    if (options.json === true) await context.output.writeJson(recordJson(found.record, status, events));
    else await context.output.write(await recordText(found.record, status, events, options, context));
  } finally {
    await records.close();
  }
}

type Found = { record: RunRecord } | { checkpoint: string };

/** `latest` is the newest of both kinds. */
async function newestOf(
  name: string,
  records: RecordedRuns,
  { database }: StoreOptions,
  context: CommandContext,
): Promise<Found> {
  if (database !== undefined) return { record: await records.find(name) };
  const checkpoints = runStore(context);
  if (name !== 'latest') {
    const record = await (await records.store()).read(name);
    return record === undefined ? { checkpoint: await checkpoints.resolve(name) } : { record };
  }
  const [record] = await (await records.store()).list({ limit: 1 });
  const checkpoint = await checkpoints.resolve(name).catch((error: unknown) => {
    if (error instanceof UsageError && error.code === 'run_not_found' && record !== undefined)
      return undefined;
    throw error;
  });
  if (record === undefined) return { checkpoint: checkpoint! };
  if (checkpoint === undefined) return { record };
  const { started_at } = await checkpoints.read(checkpoint);
  return (started_at ?? '') > record.created_at ? { checkpoint } : { record };
}

function recordJson(run: RunRecord, status: string, events: readonly RunLogEvent[]): object {
  const { definition, revision: _revision, answers: _answers, ...shown } = run;
  const { sources: _sources, ...about } = definition;
  return { ...shown, status, definition: about, nodes: nodeRows(events) };
}

async function recordText(
  run: RunRecord,
  status: string,
  events: readonly RunLogEvent[],
  options: StoreOptions,
  context: CommandContext,
): Promise<string> {
  const { definition, source_run_id, result, error_summary, value } = run;
  const rows: [string, string][] = [
    ['run', run.run_id],
    ['workflow', definition.sources[0]?.file ?? definition.id],
    ['status', status],
    ['started', run.created_at],
    ['updated', run.updated_at],
    ...optional('repeats', source_run_id),
    ...optional('failure', error_summary),
    ...(value === undefined ? [] : [['initial input', textOf(value)] as [string, string]]),
    ['inputs', textOf(run.inputs)],
    ...(result === undefined ? [] : [['result', textOf(result)] as [string, string]]),
  ];
  const lines = rows.map(([name, text]) => `${`${name}:`.padEnd(15)} ${indented(text)}\n`);
  const nodes = nodeRows(events).map(nodeLine);
  if (nodes.length > 0) lines.push('nodes:\n', indentedTable(nodes));
  if (!isTerminal(run.status)) {
    const { waits, questions } = await nextSteps(
      { ...run, status: statusFor(run, status) },
      options,
      context,
      await consentsOf(run, events),
    );
    lines.push(`${waits}:\n`);
    for (const { about, commands } of questions) {
      if (about !== '') lines.push(`  ${printable(about).replaceAll('\n', '\n  ')}\n`);
      lines.push(...commands.map((command) => `    ${command}\n`));
    }
  }
  return lines.join('');
}

/** What a run that waits for approval asks consent for. */
async function consentsOf(
  { status, definition }: RunRecord,
  events: readonly RunLogEvent[],
): Promise<string[]> {
  if (status !== 'waiting_approval') return [];
  const { planOfPinned } = await import('../../config/load-plan.js');
  const { consentLines } = await import('./consent-text.js');
  return consentLines(await planOfPinned(definition), events);
}

/** A run whose process was lost goes on like one that was interrupted. */
function statusFor(run: RunRecord, shown: string): RunRecord['status'] {
  return shown === 'interrupted' ? 'interrupted' : run.status;
}

function nodeLine({ node_id, attempt, status, output, error_summary }: NodeRow): string[] {
  const about = error_summary ?? (output === undefined ? '' : textOf(output));
  return [printable(node_id), attempt > 1 ? `attempt ${attempt}` : '', status, preview(about, 80)];
}

function indentedTable(rows: string[][]): string {
  return tableText(rows).replace(/^/gm, '  ').replace(/ +$/gm, '');
}

function optional(name: string, text: string | undefined): [string, string][] {
  return text === undefined ? [] : [[name, text]];
}

function indented(text: string): string {
  return printable(text).replaceAll('\n', `\n${' '.repeat(16)}`);
}
