import type { ConcurrentUnit } from '../kinds/kind.js';
import type { PlacementRestriction, Plan } from './plan.js';

/** The steps of a child that may not run inside a concurrent unit of its caller. Source: steps seed, 並行実行の制約. */
export function refusedIn({ restrictions = [] }: Plan, unit: ConcurrentUnit): PlacementRestriction[] {
  return restrictions.filter(({ where }) => where === 'any' || unit === 'items');
}
