import { readTrace } from '../../observe/trace/read-trace.js';
import type { TraceLine } from '../../observe/trace/span.js';
import { preview, printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import { tableText } from '../print-table.js';
import { requireFile } from '../require-file.js';

/**
 * `lait trace show`: what a trace file holds, step by step, and the sum. Throws what `requireFile` and `readTrace`
 * throw.
 */
export async function showTrace(
  file: string,
  { json }: { json?: true },
  context: CommandContext,
): Promise<void> {
  const { output, signal, workingDirectory } = context;
  const { lines, cut } = await readTrace(await requireFile(file, workingDirectory), { signal });
  if (cut) output.warning(`the last line of ${file} was cut off and is left out`);
  if (json === true) {
    await output.writeJson(lines);
    return;
  }
  if (lines.length === 0) output.note(`${file} holds no model calls, tool calls or compactions`);
  else await output.write(traceText(lines));
}

function traceText(lines: readonly TraceLine[]): string {
  const blocks: string[] = [];
  let step: string | undefined;
  let rows: string[][] = [];
  const flush = () => {
    if (rows.length > 0) blocks.push(tableText(rows).replace(/^(?=.)/gm, '  '));
    rows = [];
  };
  for (const line of lines) {
    const way = placeOf(line);
    if (way !== step) {
      flush();
      blocks.push(`${way}\n`);
      step = way;
    }
    rows.push(rowOf(line));
  }
  flush();
  return `${blocks.join('')}${totals(lines)}\n`;
}

/** The steps around a line, outermost first, without the run. */
function placeOf({ ancestors = [], label }: TraceLine): string {
  const steps = ancestors.filter(({ operation }) => operation !== 'run').map((span) => span.label);
  return printable(steps.length === 0 ? label : steps.join(' > '));
}

function rowOf({ seq, operation, attributes, duration_ms, error }: TraceLine): string[] {
  const subject = attributes['gen_ai.request.model'] ?? attributes['gen_ai.tool.name'] ?? '';
  const details: string[] = [];
  const source = attributes['lait.source'];
  if (typeof source === 'string' && source !== 'live') details.push(source);
  const tokens = attributes['gen_ai.usage.input_tokens'];
  if (tokens !== undefined) {
    details.push(`${String(tokens)} in, ${String(attributes['gen_ai.usage.output_tokens'] ?? 0)} out`);
  }
  const cost = attributes['lait.cost'];
  if (typeof cost === 'number') details.push(`cost ${cost.toFixed(6)}`);
  const decision = attributes['lait.tool.decision'];
  if (typeof decision === 'string' && decision !== 'allowed') details.push(decision);
  const given = attributes['gen_ai.tool.arguments'];
  if (typeof given === 'string') details.push(preview(given, 60));
  if (error !== undefined) details.push(`failed: ${preview(error, 100)}`);
  return [`[${seq}]`, operation, printable(String(subject)), duration(duration_ms), details.join('; ')];
}

function totals(lines: readonly TraceLine[]): string {
  const of = (operation: string) => lines.filter((line) => line.operation === operation);
  const sum = (name: string) =>
    lines.reduce((total, { attributes }) => total + (Number(attributes[name] ?? 0) || 0), 0);
  const parts = [counted(of('chat').length, 'model call'), counted(of('execute_tool').length, 'tool call')];
  if (of('compact').length > 0) parts.push(counted(of('compact').length, 'compaction'));
  const failed = lines.filter(({ error }) => error !== undefined).length;
  if (failed > 0) parts.push(`${failed} failed`);
  const input = sum('gen_ai.usage.input_tokens');
  const output = sum('gen_ai.usage.output_tokens');
  if (input + output > 0) parts.push(`${input} tokens in, ${output} out`);
  return parts.join(', ');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
