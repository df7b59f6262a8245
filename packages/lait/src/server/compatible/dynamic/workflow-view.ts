import { type LeafSite, leavesOf, readEntries } from '../../../dialects/dynamic/entries.js';
import { describePredicate } from '../../../expressions/describe-predicate.js';
import type { Predicate } from '../../../expressions/predicate.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../../values/value.js';

/** A workflow of the dynamic form that can be run here. */
export interface ServedWorkflow {
  id: string;
  definition: JsonObject;
  /** Stored ones came over HTTP; the others are files that the configuration names. */
  isStored: boolean;
}

/** What `GET /workflows/:id` tells. Source: dynamic facts §7. */
export function detailsOf({ id, definition, isStored }: ServedWorkflow): JsonObject {
  const steps: JsonObject = {};
  for (const leaf of leaves(definition)) setOwnProperty(steps, String(leaf.id), stepView(leaf));
  return { ...headOf(id, definition, isStored), steps, allSteps: steps, stepGraph: stepGraphOf(definition) };
}

/** The same without its steps. */
export function partialDetailsOf({ id, definition, isStored }: ServedWorkflow): JsonObject {
  const stepCount = leaves(definition).length;
  return { ...headOf(id, definition, isStored), steps: {}, allSteps: {}, stepGraph: [], stepCount };
}

/** The graph with conditions in words; the stored definition is the true one. */
export function stepGraphOf(definition: JsonObject): JsonValue[] {
  const graph = Array.isArray(definition.graph) ? definition.graph : [];
  return graph.map((entry) => {
    if (!isObject(entry)) return entry;
    if (entry.type === 'mapping')
      return { ...entry, mapConfig: prettyMapping(entry.mapConfig) } as JsonObject;
    if (entry.type === 'conditional' && Array.isArray(entry.predicates) && Array.isArray(entry.steps)) {
      const { steps, predicates } = entry;
      const serializedConditions = predicates.map((predicate, index) => {
        const step = steps[index];
        return { id: `${nameOf(step)}-condition`, fn: describe(predicate) };
      });
      return { ...entry, serializedConditions } as JsonObject;
    }
    if (entry.type === 'loop' && entry.predicate !== undefined) {
      const serializedCondition = { id: `${nameOf(entry.step)}-condition`, fn: describe(entry.predicate) };
      return { ...entry, serializedCondition } as JsonObject;
    }
    return entry as JsonObject;
  });
}

function headOf(id: string, definition: JsonObject, isStored: boolean): JsonObject {
  const { description, metadata } = definition;
  return {
    name: id,
    ...(typeof description === 'string' && { description }),
    ...(isObject(metadata) && { metadata: metadata as JsonObject }),
    origin: isStored ? 'dynamic' : 'code',
    ...schemaText('inputSchema', definition),
    ...schemaText('outputSchema', definition),
    ...schemaText('stateSchema', definition),
    ...schemaText('requestContextSchema', definition),
    options: {},
  };
}

/** Schemas travel as texts of their own. */
function schemaText(name: string, definition: JsonObject): JsonObject {
  const schema = definition[name];
  return schema === undefined || schema === null ? {} : { [name]: JSON.stringify({ json: schema }) };
}

function stepView({ entry, id, type }: LeafSite): JsonObject {
  const { description, metadata, outputSchema } = entry;
  return {
    id: String(id),
    ...(typeof description === 'string' && { description }),
    ...(isObject(metadata) && { metadata: metadata as JsonObject }),
    ...(type === 'agent' && {
      inputSchema: JSON.stringify({
        json: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
      }),
      outputSchema: JSON.stringify({
        json: outputSchema ?? {
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
        },
      }),
    }),
    isWorkflow: type === 'workflow',
  };
}

function leaves(definition: JsonObject): LeafSite[] {
  const { sites } = readEntries(Array.isArray(definition.graph) ? definition.graph : []);
  return leavesOf(sites);
}

function nameOf(step: JsonValue | undefined): string {
  if (!isObject(step)) return 'step';
  if (step.type === 'step' && isObject(step.step)) return String(step.step.id);
  return String(step.id);
}

function describe(predicate: JsonValue | undefined): string {
  return isObject(predicate) ? describePredicate(predicate as unknown as Predicate) : '';
}

function prettyMapping(config: JsonValue | undefined): string {
  if (typeof config !== 'string') return JSON.stringify(config, null, 2) ?? '';
  try {
    return JSON.stringify(JSON.parse(config), null, 2);
  } catch {
    return config;
  }
}
