import type { JsonObject } from '../../values/value.js';

/** The schemas that a call takes and gives; absent = not known, accepted everywhere. */
export interface CallSignature {
  inputSchema?: unknown;
  outputSchema?: unknown;
}

/** What definitions may refer to. Look-ups are by name as it stands in the definition; own names only. */
export interface Catalog {
  /** A tool by its registration key. */
  tool(key: string): CallSignature | undefined;
  /** A tool by what it calls itself: such a reference is understood, and refused when it is resolved. */
  toolByOwnId(id: string): CallSignature | undefined;
  /** True for an agent's registered name or own id. */
  agent(name: string): boolean;
  classifier(name: string): boolean;
  /** A workflow of any form, by id. */
  workflow(id: string): CallSignature | undefined;
  /** Names to suggest for a misspelt one. */
  names(kind: 'tool' | 'agent' | 'classifier' | 'workflow'): readonly string[];
}

/** What every agent takes. Source: dynamic seed, Agent ステップ. */
export const agentInputSchema: JsonObject = {
  type: 'object',
  properties: { prompt: { type: 'string' } },
  required: ['prompt'],
};

/** What an agent gives without an output schema of its own. */
export const agentTextSchema: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};

/** What a classifier gives. Source: dynamic facts §1.2. */
export const classifierOutputSchema: JsonObject = {
  type: 'object',
  properties: { answers: { type: 'object' }, usage: { type: 'object' } },
  required: ['answers', 'usage'],
};
