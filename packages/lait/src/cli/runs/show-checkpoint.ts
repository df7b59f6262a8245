import type { Checkpoint } from '../../runs/checkpoint.js';
import { SecretReferences } from '../../runs/secret-references.js';
import { printable } from '../../values/printable.js';
import { textOf } from '../../values/text.js';
import type { JsonObject, JsonValue } from '../../values/value.js';
import type { CommandContext } from '../command-context.js';
import { runStatus, runStore } from './run-store.js';

/** Shows a checkpoint, secrets as references. Throws what `CheckpointStore` throws. */
export async function showCheckpoint(
  runId: string,
  { json }: { json?: true },
  context: CommandContext,
): Promise<void> {
  const store = runStore(context);
  const checkpoint = await store.read(runId);
  const running = await store.holder(runId);
  const status = runStatus({ run_id: runId, checkpoint, running });
  const show = await displayOf(context);
  if (json === true) {
    await context.output.writeJson({
      ...runJson(checkpoint, show),
      status,
      ...(running === undefined ? {} : { running }),
    });
    return;
  }
  const holder = running === undefined ? '' : ` (process ${running.pid})`;
  await context.output.write(runText(checkpoint, `${status}${holder}`, show));
}

type Show = (stored: JsonValue) => JsonValue;

/** Known secrets are masked once more: a record may be older than the key. */
async function displayOf(context: CommandContext): Promise<Show> {
  const configuration = await context.configuration().catch(() => undefined);
  const references = new SecretReferences(await context.variables(), context.secrets, [
    JSON.stringify(configuration?.values ?? {}),
  ]);
  return (stored) => references.show(stored);
}

function runJson(checkpoint: Checkpoint, show: Show): JsonObject {
  const { passed_values: _passed, items, failure, parent, conversation = null, ...rest } = checkpoint;
  return {
    ...(rest as unknown as JsonObject),
    current_value: show(checkpoint.current_value ?? null),
    initial_input: show(checkpoint.initial_input),
    inputs: show(checkpoint.inputs),
    steps_outputs: show(checkpoint.steps_outputs),
    state: show(checkpoint.state),
    failure: failure === undefined ? null : { ...failure, message: show(failure.message) },
    parent: parent ?? null,
    conversation: show(conversation as unknown as JsonValue),
    kept_items: items === undefined ? null : Object.keys(items.results).length,
  };
}

function runText(checkpoint: Checkpoint, status: string, show: Show): string {
  const { completed_index: index, top_level_labels: labels, parent, failure } = checkpoint;
  const done = (index ?? -1) + 1;
  const last = index === null ? '' : ` (last: ${labels[index]})`;
  const rows: [string, string][] = [
    ['run', checkpoint.run_id],
    ['workflow', checkpoint.workflow_path],
    ['status', status],
    ['steps', `${done} of ${labels.length} finished${last}`],
    ['started', checkpoint.started_at ?? 'unknown'],
    ['updated', checkpoint.updated_at ?? 'unknown'],
    ...(parent === undefined
      ? []
      : [['begun from', `${parent.run_id} at '${parent.from}'`] as [string, string]]),
    ...(failure === undefined ? [] : [['failure', textOf(show(failure.message))] as [string, string]]),
    ...(checkpoint.items === undefined
      ? []
      : [['kept items', String(Object.keys(checkpoint.items.results).length)] as [string, string]]),
    ...conversationRows(checkpoint, show),
    ['initial input', textOf(show(checkpoint.initial_input))],
    ['current value', textOf(show(checkpoint.current_value ?? null))],
  ];
  const sections = rows.map(([name, value]) => `${`${name}:`.padEnd(15)} ${indented(value)}\n`);
  return (
    sections.join('') +
    mapText('inputs', checkpoint.inputs, show) +
    mapText('steps', checkpoint.steps_outputs, show)
  );
}

/** What was said in the step that is not finished, with the last that the model said in words. */
function conversationRows({ conversation }: Checkpoint, show: Show): [string, string][] {
  if (conversation === undefined) return [];
  const { step, messages } = conversation;
  const last = messages.findLast(({ role, content }) => role === 'assistant' && content !== null);
  return [
    ['conversation', `${messages.length} messages of '${step}'`],
    ...(last === undefined
      ? []
      : [['last said', textOf(show(last.content as JsonValue))] as [string, string]]),
  ];
}

function mapText(title: string, values: JsonValue, show: Show): string {
  const entries = Object.entries((values ?? {}) as JsonObject);
  if (entries.length === 0) return '';
  const lines = entries.map(([name, value]) => `  ${printable(name)}: ${indented(textOf(show(value)))}\n`);
  return `${title}:\n${lines.join('')}`;
}

/** Further lines of a value are moved in, so that they cannot be taken for something else. */
function indented(text: string): string {
  return printable(text).replaceAll('\n', `\n${' '.repeat(16)}`);
}
