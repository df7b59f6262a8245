import { StepError } from '../errors/errors.js';
import { checkQuestions, questionsSchema } from '../models/decision-questions.js';
import type { JsonObject } from '../values/value.js';
import { completed, type Kind } from './kind.js';

export interface DecideFields {
  decide: JsonObject;
  model?: string;
}

/** `decide`: typed questions to a Jev-compatible server about the input. Source: steps seed, `decide`; facts §10. */
export const decideKind: Kind<DecideFields> = {
  name: 'decide',
  shape: 'action',
  description: 'Asks a decision server typed questions about the input; the value is the answers.',
  fields: {
    decide: {
      type: 'custom',
      name: 'questions',
      schema: questionsSchema,
      check: checkQuestions,
      required: true,
      description: 'Questions by name, each a noul, a choice or a score.',
    },
    model: {
      type: 'text',
      notBlank: true,
      description: 'Model of the decision server. Default: jev.model of lait.config.yml, else jev-latest.',
    },
  },
  callsModel: true,
  effects: 'rerun',
  async execute({ decide: questions, model }, context) {
    const { models, decisions } = context.services;
    if (models.replaying) {
      throw new StepError({
        code: 'decide_not_replayable',
        message: 'decide is not recorded and cannot run with --replay',
      });
    }
    const answers = await context.effect(async ({ signal, idempotencyKey }) => {
      const request = { state: context.input ?? null, questions, ...(model === undefined ? {} : { model }) };
      return { value: (await decisions.decide(request, { signal, idempotencyKey })).answers };
    });
    return completed(answers);
  },
};
