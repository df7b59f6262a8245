import { kinds } from '../../kinds/index.js';
import { stepLines } from '../../plan/draw/step-lines.js';
import type { Plan } from '../../plan/plan.js';
import { nodeName } from '../../runs/node-places.js';
import { nodesOf } from '../../runs/plan-nodes.js';
import type { RunView } from '../../runs/run-controller.js';
import type { RunLogEvent, RunRecord } from '../../runs/run-record.js';
import { printable } from '../../values/printable.js';

/** What a person is asked to consent to: every node that needs it, once for the whole run. Source: graph facts §7.6. */
export function consentText({ run_id }: RunRecord, plan: Plan, { events }: RunView): string {
  const lines = [`Run '${run_id}' of ${plan.name ?? plan.id} needs consent for:`];
  lines.push(...consentLines(plan, events), 'Approve everything?');
  return printable(lines.join('\n'));
}

/** The nodes of a run that need consent, a line each, and what holds for all of them. */
export function consentLines(plan: Plan, events: readonly RunLogEvent[]): string[] {
  const created = events.find(({ event_type }) => event_type === 'run_created');
  const named = created?.payload.needs_approval;
  const names = new Set(Array.isArray(named) ? named : []);
  const lines: string[] = [];
  let agents = false;
  for (const { node, kind } of nodesOf(plan, kinds)) {
    if (kind === undefined || !names.has(nodeName(plan, node) ?? node.path)) continue;
    lines.push(`- ${stepLines(node, kind).join(', ')}`);
    agents ||= kind.callsModel === true;
  }
  if (agents) lines.push('Agents act with the tools and settings that they have when their turn comes.');
  return lines;
}
