import type { JsonObject } from '../values/value.js';
import { requireAttempts } from './attempts-allowed.js';
import { completed, type Kind } from './kind.js';

interface ClassifierFields {
  /** The questions of the classifier, as the decision server takes them. */
  questions: JsonObject;
  model?: string;
}

/** `classifier` of the dynamic form: typed questions about the step's input. Source: dynamic facts §1.2. */
export const classifierKind: Kind<ClassifierFields> = {
  name: 'classifier',
  shape: 'action',
  description: 'Asks a registered classifier about the input; the value is { answers, usage }.',
  effects: 'rerun',
  async execute({ questions, model }, context) {
    requireAttempts(context);
    const state = context.input ?? null;
    const value = await context.effect(async ({ signal, idempotencyKey }) => {
      const { answers, usage } = await context.services.decisions.decide(
        { state, questions, ...(model === undefined ? {} : { model }) },
        { signal, idempotencyKey },
      );
      return { value: { answers, usage } };
    });
    return completed(value);
  },
};
