import { realpath } from 'node:fs/promises';
import { planOfPinned } from '../../config/load-plan.js';
import { UsageError } from '../../errors/errors.js';
import type { Standing } from '../../plan/draw/draw-plan.js';
import type { PictureState } from '../../plan/draw/picture.js';
import type { Plan, PlanNode } from '../../plan/plan.js';
import { nodeName } from '../../runs/node-places.js';
import { type NodeStatus, nodeRows } from '../../runs/node-rows.js';
import type { RunLogEvent } from '../../runs/run-record.js';
import type { CommandContext } from '../command-context.js';
import { RecordedRuns, type StoreOptions } from './recorded-runs.js';

/** A run for a drawing: what it runs, as it was when it began, and how its nodes stand. */
export interface ShownRun {
  plan: Plan;
  standing(node: PlanNode): Standing | undefined;
}

/**
 * Reads a run for a drawing. Throws a `UsageError` (code `run_of_other_workflow`) when it is a run of another file, and
 * what `RecordedRuns.find` throws.
 */
export async function shownRun(
  name: string,
  path: string,
  options: StoreOptions,
  context: CommandContext,
): Promise<ShownRun> {
  const records = await RecordedRuns.of(context, options, 'show');
  try {
    const { run_id: runId, definition } = await records.find(name);
    const origin = await realpath(path).catch(() => path);
    if (definition.origin !== origin) {
      throw new UsageError({
        code: 'run_of_other_workflow',
        message: `run '${runId}' is a run of ${definition.origin}, not of ${path}`,
      });
    }
    const plan = await planOfPinned(definition);
    const standings = standingsOf(await (await records.store()).events(runId));
    return { plan, standing: (node) => standings.get(nodeName(plan, node) ?? node.path) };
  } finally {
    await records.close();
  }
}

const states: Readonly<Record<NodeStatus, PictureState>> = {
  pending: 'running',
  running: 'running',
  waiting_hitl: 'waiting',
  needs_attention: 'waiting',
  succeeded: 'succeeded',
  skipped: 'skipped',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** The newest state of each node, and how often it was begun. */
function standingsOf(events: readonly RunLogEvent[]): Map<string, Standing> {
  const newest = new Map<string, { status: NodeStatus; activations: Set<string | null> }>();
  for (const { node_id, status, activation_id } of nodeRows(events)) {
    const activations = newest.get(node_id)?.activations ?? new Set();
    newest.set(node_id, { status, activations: activations.add(activation_id) });
  }
  return new Map(
    [...newest].map(([id, { status, activations }]) => {
      const times = activations.size > 1 ? `, ${activations.size} times` : '';
      return [id, { state: states[status], text: `${status.replaceAll('_', ' ')}${times}` }];
    }),
  );
}
