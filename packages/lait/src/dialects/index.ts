import type { Dialect } from './dialect.js';
import { dynamicDialect } from './dynamic/dialect.js';
import { graphDialect } from './graph/dialect.js';
import { stepsDialect } from './steps/dialect.js';

/** Every form, by its name. What a definition is read as when it has the keys of several stands first. */
export const dialects = { steps: stepsDialect, dynamic: dynamicDialect, graph: graphDialect };

/** The name of a form that workflows are written in. */
export type Form = keyof typeof dialects;

export const forms = Object.keys(dialects) as [Form, ...Form[]];

export function dialectOf(form: Form): Dialect {
  return dialects[form];
}
