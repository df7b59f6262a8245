import { planOfPinned } from '../../config/load-plan.js';
import type { DefinitionWorld, GivenDefinition } from '../../dialects/dialect.js';
import { dialectOf } from '../../dialects/index.js';
import { DefinitionError } from '../../errors/errors.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import type { Form, Plan } from '../../plan/plan.js';
import { textOfContent } from './definition.js';
import { type Permission, reachProblems } from './reach.js';

/** What definitions are held against. */
export interface ServerWorld extends DefinitionWorld {
  /** What definitions that came over HTTP may do. */
  allowed: readonly Permission[];
}

export interface UncheckedContent extends GivenDefinition {
  form: Form;
}

export interface CheckedDefinition {
  /** Absent when there are errors. */
  plan?: Plan;
  diagnostics: readonly Diagnostic[];
}

/** Checks a definition of any form as a whole: every problem at once. Never throws for what it holds. */
export async function checkDefinition(
  unchecked: UncheckedContent,
  world: ServerWorld,
): Promise<CheckedDefinition> {
  try {
    const diagnostics = [...((await dialectOf(unchecked.form).check?.(unchecked, world)) ?? [])];
    if (diagnostics.some(isError)) return { diagnostics };
    const plan = await lowerContent(unchecked);
    diagnostics.push(...reachProblems(plan, world.allowed));
    return diagnostics.some(isError) ? { diagnostics } : { plan, diagnostics };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { diagnostics: problemsOf(error) };
  }
}

/** The plan of a definition that was checked. */
export function lowerContent({ id, form, content }: UncheckedContent): Promise<Plan> {
  const text = textOfContent(content);
  return planOfPinned({ form, id, origin: id, sources: [{ file: id, text }] });
}

function problemsOf(error: DefinitionError): readonly Diagnostic[] {
  if (error.diagnostics.length > 0) return error.diagnostics;
  return [{ code: error.code, severity: 'error', message: error.message }];
}

export function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}
