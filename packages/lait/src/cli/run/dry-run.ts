import { kinds } from '../../kinds/index.js';
import { formatPlannedRun } from '../../plan/dry-run/format-planned-run.js';
import { planRun } from '../../plan/dry-run/plan-run.js';
import type { Plan, PlanCall } from '../../plan/plan.js';
import type { CommandContext } from '../command-context.js';
import { planServices } from '../plan-services.js';
import { readLimits } from '../read-limits.js';

/** What `lait run --dry-run` prints: for people, or with `--json` for programs. Known secrets are masked. */
export async function dryRun(
  plan: Plan,
  call: PlanCall,
  { json, limit }: { json?: true; limit?: readonly string[] },
  context: CommandContext,
): Promise<string> {
  const services = await planServices(context, readLimits(limit));
  const { signal, secrets } = context;
  const planned = await planRun(plan, plan.accept(call), { kinds, services, signal });
  return secrets.mask(json === true ? `${JSON.stringify(planned, null, 2)}\n` : formatPlannedRun(planned));
}
