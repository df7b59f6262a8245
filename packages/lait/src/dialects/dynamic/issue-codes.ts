/** What the reference checks, with what it means. A closed set. Source: dynamic facts §5. */
export const issueCodes = {
  'empty-graph': 'A graph without entries',
  'missing-step-id': 'A step without an id',
  'duplicate-step-id': 'Two steps with one id',
  'missing-reference': 'An agent, tool, workflow or classifier that does not exist',
  'self-reference': 'A workflow that calls itself',
  'invalid-map-placement': 'A mapping inside a container',
  'invalid-parallel': 'A parallel entry without steps',
  'invalid-conditional': 'A conditional whose steps and predicates do not pair up',
  'invalid-loop': 'A loop without a step or a predicate',
  'invalid-foreach': 'A foreach without a step, or with a concurrency below 1',
  'invalid-map-config': 'A mapping that is not well formed',
  'invalid-map-reference': 'A mapping of a step or a path that does not exist or is not reached before',
  'invalid-predicate-reference': 'A predicate whose path is wrong or leads nowhere in a known schema',
  'incompatible-schema': 'A value that does not fit the schema of what takes it',
  'unsupported-schema-keyword': 'A keyword of JSON Schema that is not supported',
} as const;

/** What makes a definition unusable beside the issues: a plain error in the reference, never one of its issues. */
export const problemCodes = {
  syntax: 'The text is neither JSON nor YAML',
  'missing-field': 'A definition or an entry without a field that it needs',
  'invalid-entry': 'A part of a definition that is not well formed',
  'unknown-entry-type': 'An entry type that does not exist',
  'invalid-predicate': 'A predicate that is not well formed',
  'invalid-sleep': 'A sleep that is not well formed',
  'invalid-loop-type': 'A loop that is neither dowhile nor dountil',
  'unknown-tool-key': 'A tool named by its own id instead of the key it is registered under',
  'unknown-step': 'A step that is registered neither as an agent nor as a tool',
  'invalid-schema': 'A schema that is no JSON Schema',
} as const;

/** What is allowed and yet most likely not meant. */
export const warningCodes = {
  'never-matching-conditional': 'A conditional of which no branch can be taken',
  'endless-loop': 'A loop whose predicate never ends it',
  'unknown-placeholder': 'A placeholder that leads nowhere in the known schema',
  'source-without-result': 'A source that never has a result',
  'ignored-schema-keyword': 'A keyword of JSON Schema that is ignored',
} as const;

export type IssueCode = keyof typeof issueCodes;
export type ProblemCode = keyof typeof problemCodes;
export type WarningCode = keyof typeof warningCodes;
