import { kinds } from '../../kinds/index.js';
import type { Plan } from '../../plan/plan.js';
import type { ToolSelection } from '../../plan/settings.js';

/**
 * The path of the step whose reply may go to standard output while it arrives: the last one, when its raw text is the
 * result and nothing can take it back: no `output`, no second attempt, no `on_error`, no schema, no tools. Undefined
 * when there is none.
 */
export function streamedStep(plan: Plan, defaults: ToolSelection): string | undefined {
  const { body, settings } = plan;
  const last = body.nodes.at(-1);
  if (last === undefined || body.edges !== undefined || plan.output !== undefined) return undefined;
  if (last.output !== undefined || last.onError !== undefined) return undefined;
  if (((last.retry ?? settings.defaults.retry)?.maxAttempts ?? 1) > 1) return undefined;
  const kind = kinds.get(last.kind);
  return kind?.replyIsValue?.(last.fields, { settings, defaults }) === true ? last.path : undefined;
}
