import type { RunRecord } from '../../../runs/run-record.js';
import type { RequestedRun } from './requested-runs.js';

/** A run under the id by which clients know it. */
export interface DynamicRun {
  id: string;
  /** What stands for it now: after a journey through time another run than at first. */
  record: RunRecord;
  requested?: RequestedRun | undefined;
}
