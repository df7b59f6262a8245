import type { FieldTable } from '../../plan/fields.js';
import { namePattern, nameRule } from '../../plan/names.js';
import { attemptFields } from '../../plan/settings-fields.js';

/** Fields that every step may have beside those of its kind. Source: steps seed, 共通フィールド. */
export const commonStepFields = {
  id: {
    type: 'text',
    pattern: namePattern,
    patternHint: nameRule,
    description: "Records the step's value as steps.<id>; unique in the file.",
  },
  when: { type: 'jq', description: 'The step is skipped when this gives false or null.' },
  input: { type: 'jq', description: 'What the step works on. Default: the value as it comes.' },
  output: { type: 'jq', description: "Makes the step's value from its result." },
  ...attemptFields,
  on_error: { type: 'block', description: 'Steps that run instead when all attempts failed.' },
} as const satisfies FieldTable;
