import type { Question } from '../../engine/question.js';
import type { Capability } from '../../kinds/services.js';
import type { JsonObject } from '../../values/value.js';
import type { CapabilitySettings } from '../capability-settings.js';

/** Asks a person and waits; always enabled, never needs approval. Source: graph seed, hitl_wait; facts §2.8. */
export function hitlWait(key: string, { label, description }: CapabilitySettings): Capability {
  return {
    key,
    ...(label !== undefined && { label }),
    description: description ?? 'Asks a person and waits for the answer.',
    enabled: true,
    approval_policy: 'auto',
    effects: [],
    strict_allowed: true,
    input_schema: {
      type: 'object',
      properties: {
        question: { type: 'string' },
        question_type: { enum: ['text', 'select', 'boolean'] },
        // None to choose from could never be answered.
        choices: { type: 'array', items: { type: 'string' }, minItems: 1 },
      },
      required: ['question'],
      additionalProperties: false,
    },
    output_schema: {
      type: 'object',
      properties: { answer: { type: 'string' } },
      required: ['answer'],
      additionalProperties: false,
    },
    question: questionOf,
    execute: () => Promise.reject(new Error('a question is asked by the engine')),
  };
}

function questionOf({ question, question_type = 'text', choices }: JsonObject): Question {
  const text =
    typeof question === 'string' && question.trim() !== '' ? question : 'The run waits for your answer.';
  const type = question_type as 'text' | 'select' | 'boolean';
  return { type, text, ...(type === 'select' && Array.isArray(choices) && { choices: choices as string[] }) };
}
