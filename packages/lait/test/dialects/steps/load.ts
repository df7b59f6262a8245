import { loadStepsWorkflow } from '../../../src/dialects/steps/load-workflow.js';
import type { Diagnostic } from '../../../src/plan/diagnostic.js';
import type { Plan } from '../../../src/plan/plan.js';

/** Loads a text as `dir/w.yml`. */
export function load(text: string) {
  return loadStepsWorkflow({ file: 'dir/w.yml', text }, { directory: '/flows' });
}

/** The plan of a text that must be right. */
export function planOf(text: string): Plan {
  const { plan, diagnostics } = load(text);
  if (plan === undefined) throw new Error(problems(text).join('\n') || JSON.stringify(diagnostics));
  return plan;
}

/** The problems of a text, a line each: `line:column code path: message`. */
export function problems(text: string): string[] {
  return load(text).diagnostics.map(line);
}

export function line({ position, code, path, message }: Diagnostic): string {
  return `${position?.line}:${position?.column} ${code}${path === undefined ? '' : ` ${path}`}: ${message}`;
}

/** The text that each problem points at. */
export function marked(text: string): string[] {
  return load(text).diagnostics.map(({ position }) => text.slice(position?.start, position?.end));
}
