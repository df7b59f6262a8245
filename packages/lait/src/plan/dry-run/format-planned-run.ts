import { isObject, type JsonValue } from '../../values/value.js';
import type { PlannedEdge, PlannedRun, PlannedStep } from './planned-run.js';

/** A planned run as people read it. Source: steps facts §16. */
export function formatPlannedRun(run: PlannedRun): string {
  const name = run.name === null ? run.workflow : `${run.name} (${run.workflow})`;
  const lines = [`plan of ${name}: nothing is run`];
  if (run.description !== null) lines.push(...field(1, 'description', run.description));
  if (run.input !== null) lines.push(...field(1, 'input', JSON.stringify(run.input)));
  if (isObject(run.inputs) && Object.keys(run.inputs).length > 0) {
    lines.push('  inputs:');
    for (const [key, value] of Object.entries(run.inputs))
      lines.push(...field(2, key, JSON.stringify(value)));
  }
  for (const step of run.steps) lines.push(...stepLines(step, 0));
  if (run.output !== null) lines.push(...field(0, 'output', run.output));
  if (run.timeout !== null) lines.push(...field(0, 'timeout', `${run.timeout} s for the whole workflow`));
  const limits = Object.entries(run.limits).map(([name, most]) => `${name} ${most}`);
  if (limits.length > 0) lines.push(...field(0, 'limits', limits.join(', ')));
  return `${lines.join('\n')}\n`;
}

function stepLines(step: PlannedStep, depth: number): string[] {
  const label = step.id === null ? step.label : `${step.label} (${step.kind})`;
  const lines = [`${indent(depth)}[${step.position}] ${label}`];
  const inner = depth + 2;
  for (const { name, text, unrendered } of step.fields) {
    lines.push(
      ...field(
        inner,
        name,
        unrendered === undefined ? text : `${text.trimEnd()} [unrendered: ${unrendered}]`,
      ),
    );
  }
  if (step.model !== null) {
    const { id, base_url, fallbacks, settings } = step.model;
    const others = fallbacks.length === 0 ? '' : ` (then ${fallbacks.join(', ')})`;
    lines.push(...field(inner, 'model', `${id} @ ${base_url}${others}`));
    for (const [name, value] of Object.entries(settings)) lines.push(...field(inner, name, plain(value)));
  }
  for (const [name, value] of Object.entries(step.tools)) lines.push(...field(inner, name, plain(value)));
  if (step.retry !== null && step.retry.max_attempts > 1) {
    const { max_attempts, delay_seconds, backoff } = step.retry;
    lines.push(
      ...field(
        inner,
        'retry',
        `${max_attempts} attempts, ${delay_seconds} s before the second, backoff ${backoff}`,
      ),
    );
  }
  if (step.timeout !== null) lines.push(...field(inner, 'timeout', `${step.timeout} s`));
  for (const { title, steps } of step.blocks) {
    lines.push(`${indent(inner)}${title}:`);
    for (const child of steps) lines.push(...stepLines(child, inner + 1));
  }
  for (const edge of step.edges ?? []) lines.push(...field(inner, ...edgeText(edge)));
  return lines;
}

/** Where a step leads, and when. */
function edgeText({ kind, position, label, condition }: PlannedEdge): [name: string, text: string] {
  const target = `[${position}] ${label}`;
  return [
    kind === 'error' ? 'on error' : 'next',
    condition === null ? target : `${target} when ${condition}`,
  ];
}

/** `name: text`; further lines of the text stand below its first. */
function field(depth: number, name: string, text: string): string[] {
  const [first = '', ...rest] = text.replace(/\n$/, '').split('\n');
  const margin = indent(depth);
  return [`${margin}${name}: ${first}`, ...rest.map((line) => `${margin}  ${line}`)];
}

function plain(value: JsonValue): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}
