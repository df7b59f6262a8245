import type { Plan } from './plan.js';
import { noSettings, type PlanSettings } from './settings.js';

/** A plan of one step that a command runs by itself: a turn of a chat, a prompt under evaluation, a judgement. */
export function singleStepPlan(
  kind: string,
  fields: unknown,
  { id, settings = noSettings }: { id: string; settings?: PlanSettings },
): Plan {
  return {
    form: 'steps',
    id,
    origin: `<${id}>`,
    sources: [],
    accept: ({ value, inputs = {}, state = {}, context = {} }) => ({ value, inputs, state, context }),
    body: { path: 'steps', nodes: [{ kind, path: 'steps[0]', label: id, fields }] },
    settings,
  };
}
