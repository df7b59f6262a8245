import type { Kinds } from '../../kinds/kind.js';
import { allNodes } from '../all-nodes.js';
import type { Findings } from './located-plan.js';

/** Finds retries that may do the same thing to the world twice. Source: field report FR-10. */
export function checkRetries(findings: Findings, kinds: Kinds): void {
  for (const node of allNodes(findings.located.plan.body.nodes, kinds)) {
    if ((node.retry?.maxAttempts ?? 1) < 2) continue;
    const repeated = [...allNodes([node], kinds)].filter(
      (inner) => kinds.get(inner.kind)?.unsafeToRepeat === true,
    );
    if (repeated.length === 0) continue;
    const what = repeated.map(({ label }) => `'${label}'`).join(', ');
    findings.add({
      code: 'retry_repeats_effect',
      message: `retry runs ${what} again even when an attempt that failed had already done something`,
      hint: 'every attempt gets the same LAIT_IDEMPOTENCY_KEY: let the program recognise it, or retry only what can be repeated',
      node,
      at: ['retry'],
    });
  }
}
