import { type RunHandle, type RunResult, type StartRunOptions, startRun } from './engine/start-run.js';
import { kinds } from './kinds/index.js';
import type { Plan, PlanCall } from './plan/plan.js';

export type RunPlanOptions = Omit<StartRunOptions, 'kinds'>;

/** Starts a plan with every kind that lait knows. */
export function startPlan(plan: Plan, call: PlanCall, options: RunPlanOptions): RunHandle {
  return startRun(plan, call, { ...options, kinds });
}

/** Runs a plan until it has ended or waits for an answer. */
export function runPlan(plan: Plan, call: PlanCall, options: RunPlanOptions): Promise<RunResult> {
  return startPlan(plan, call, options).settled();
}
