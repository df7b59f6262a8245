import { stringify } from 'yaml';
import { isName, nameRule } from '../../plan/names.js';
import { isObject, type JsonObject, type JsonValue, setOwnProperty } from '../../values/value.js';
import type { UncheckedDefinition } from '../dynamic/definition.js';
import { type ContainerSite, type EntrySite, type LeafSite, readEntries } from '../dynamic/entries.js';
import { mappingEntries, readMappingConfig } from '../dynamic/mapping-config.js';
import type { Conversion, Loss } from './loss.js';
import { mappingToJq, pathOf } from './mapping-to-jq.js';

/**
 * Translates a checked dynamic definition to a workflow file of the steps form. Without losses `result` is the text;
 * with any there is none.
 */
export function convertToSteps(definition: UncheckedDefinition): Conversion<string> {
  const writer = new StepsWriter(definition);
  const document = writer.write();
  const { losses, notes } = writer;
  if (losses.length > 0) return { losses, notes: [...notes] };
  return { result: stringify(document, { lineWidth: 110 }), losses, notes: [...notes] };
}

const whatCannot: Readonly<Record<string, string>> = {
  tool: 'the steps form has no step that calls a tool directly',
  classifier: 'the questions of a registered classifier are not part of the definition',
  step: 'the steps form has no step that calls a tool directly',
  conditional: 'the steps form has no branch in which every matching step runs',
  loop: 'the loops of the steps form need a limit, which this one does not have',
  sleep: 'the steps form cannot wait for a time',
  sleepUntil: 'the steps form cannot wait for a time',
};

class StepsWriter {
  readonly losses: Loss[] = [];
  readonly notes = new Set<string>();
  /** How the result of each step that has run is read in jq. */
  readonly #readers = new Map<string, string>();

  constructor(private readonly definition: UncheckedDefinition) {}

  write(): JsonObject {
    const { id, description, outputSchema, graph } = this.definition;
    const inputs = this.#inputs();
    for (const key of ['stateSchema', 'requestContextSchema', 'metadata']) {
      if (this.definition[key] !== undefined) this.#lose(key, `the steps form has no ${key}`);
    }
    if (isObject(outputSchema) && Object.keys(outputSchema).length > 0) {
      this.notes.add('outputSchema is left out: it is not enforced when a run ends');
    }
    const steps = readEntries(graph).sites.map((site) => this.#site(site));
    const [first] = steps;
    if (first !== undefined && inputs !== undefined) first.input ??= '$inputs';
    return {
      version: 2,
      ...(typeof id === 'string' ? { name: id } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(inputs === undefined ? {} : { inputs }),
      steps,
    };
  }

  /** The properties of an object schema become declared inputs; a schema that accepts anything becomes the prompt. */
  #inputs(): JsonObject | undefined {
    const schema = this.definition.inputSchema;
    if (!isObject(schema) || schema.type !== 'object') {
      const open = !isObject(schema) || Object.keys(schema).length === 0 || schema.type === 'string';
      if (!open)
        this.#lose('inputSchema', 'only an object with properties, a text, or anything can be the input');
      return undefined;
    }
    const required = Array.isArray(schema.required) ? schema.required : [];
    const properties = isObject(schema.properties) ? schema.properties : {};
    const inputs: JsonObject = {};
    for (const [name, property] of Object.entries(properties)) {
      const path = `inputSchema.properties.${name}`;
      if (!isName(name)) this.#lose(path, `an input needs a name of ${nameRule}`);
      if (!required.includes(name))
        this.#lose(path, 'an input without a default is always required in the steps form');
      setOwnProperty(inputs, name, isObject(property) ? property : {});
    }
    if (schema.additionalProperties === true)
      this.#lose('inputSchema', 'undeclared inputs are refused in the steps form');
    this.notes.add('undeclared inputs are refused instead of dropped');
    return inputs;
  }

  #site(site: EntrySite): JsonObject {
    switch (site.site) {
      case 'leaf':
        return this.#leaf(site.leaf);
      case 'container':
        return this.#container(site.container);
      case 'sleep':
        return this.#cannot(site.type, site.path);
      case 'unknown':
        return this.#cannot('step', site.path);
    }
  }

  #leaf({ type, entry, path, id }: LeafSite): JsonObject {
    const name = this.#id(id, path);
    let step: JsonObject;
    switch (type) {
      case 'mapping': {
        const entries = mappingEntries(readMappingConfig(entry.mapConfig)!);
        const { jq, reasons } = mappingToJq(entries, (step) => this.#readers.get(step));
        for (const { key, reason } of reasons) this.#lose(`${path}.mapConfig.${key}`, reason);
        this.notes.add('a path through something that is not there gives null instead of failing');
        step = { jq };
        break;
      }
      case 'workflow':
        step = { workflow: entry.workflowId! };
        this.notes.add('a workflow of the steps form gets its input as the first value, not as inputs');
        break;
      case 'agent':
        if (entry.outputSchema !== undefined) {
          this.#lose(
            `${path}.outputSchema`,
            'the schema of an answer belongs to the agent in the steps form',
          );
        }
        step = {
          agent: entry.agentId!,
          input: '.prompt',
          output: '{ text: . }',
          ...this.#retry(entry, path),
        };
        break;
      default:
        return this.#cannot(type, path);
    }
    if (name !== undefined) this.#readers.set(name, pathOf('$steps', [name]));
    return { id: name ?? '', ...step };
  }

  #container({ type, entry, path, children }: ContainerSite): JsonObject {
    if (type !== 'parallel' && type !== 'foreach') return this.#cannot(type, path);
    const id = this.#id(
      entry.id ?? `${String(children[0]?.id)}-${type === 'parallel' ? 'all' : 'each'}`,
      path,
    );
    const base = id === undefined ? '$steps' : pathOf('$steps', [id]);
    const steps = children.map((child) => [String(child.id), this.#leaf(child)] as const);
    for (const [child] of steps) {
      // Branches keep their steps to themselves: results are read from the container.
      this.#readers.set(child, type === 'parallel' ? pathOf(base, [child]) : base);
    }
    if (type === 'parallel') {
      const parallel: JsonObject = {};
      for (const [child, step] of steps) setOwnProperty(parallel, child, [step]);
      return { id: id ?? '', parallel };
    }
    const concurrency = isObject(entry.opts) ? entry.opts.concurrency : undefined;
    this.notes.add('for_each takes arrays only, and an element without a result gives null');
    return {
      id: id ?? '',
      for_each: '.',
      ...(typeof concurrency === 'number' && concurrency > 1 ? { max_concurrency: concurrency } : {}),
      steps: steps.map(([, step]) => step),
    };
  }

  #retry({ options }: JsonObject, path: string): JsonObject {
    const retries = isObject(options) ? Number(options.retries ?? 0) : 0;
    if (retries < 0) this.#lose(`${path}.options.retries`, 'there is always one attempt in the steps form');
    return retries > 0 ? { retry: { max_attempts: retries + 1, delay_seconds: 0 } } : {};
  }

  #id(id: JsonValue | undefined, path: string): string | undefined {
    if (typeof id === 'string' && isName(id)) return id;
    this.#lose(path, `an id is ${nameRule} in the steps form`);
    return undefined;
  }

  #cannot(type: string, path: string): JsonObject {
    this.#lose(path, `${type}: ${whatCannot[type] ?? 'it is not known'}`);
    return {};
  }

  #lose(path: string, message: string): void {
    this.losses.push({ path, message });
  }
}
