import type { RunEvent } from '../engine/events.js';
import type { Scope } from '../expressions/scope.js';
import type { Pricing } from '../observe/usage-report.js';
import { UsageReport } from '../observe/usage-report.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import { setOwnProperty } from '../values/value.js';

interface ObservedCall {
  name: string;
  arguments: JsonValue;
}

/** What a run did, as far as assertions ask about it; built from its events. */
export class Observation {
  readonly usage: UsageReport;
  /** The tool calls that were made, in order; refused ones are none. */
  readonly toolCalls: ObservedCall[] = [];
  /** The result; set when the run has ended. */
  value: Value = null;
  readonly #steps = new Map<string, Value>();
  readonly #called = new Map<string, ObservedCall>();
  /** Ids of the steps that have begun, by address. */
  readonly #begun = new Map<string, string>();

  constructor(
    readonly inputs: JsonObject,
    pricing: ReadonlyMap<string, Pricing>,
  ) {
    this.usage = new UsageReport(pricing);
  }

  add(event: RunEvent): void {
    this.usage.add(event);
    switch (event.type) {
      case 'step.started':
        if (event.id !== undefined) this.#begun.set(event.address, event.id);
        break;
      case 'step.completed':
        // Ids of child workflows are names of their own.
        if (event.id !== undefined && event.depth === 0) this.#steps.set(event.id, event.value);
        break;
      case 'tool.called':
        this.#called.set(callKey(event), { name: event.tool, arguments: event.arguments });
        break;
      case 'tool.completed': {
        const call = this.#called.get(callKey(event));
        const made = event.decision === 'allowed' || event.decision === 'approved';
        if (call !== undefined && made) this.toolCalls.push(call);
      }
    }
  }

  /** The last value of a step of the workflow itself; `has` is false for steps that were skipped or never reached. */
  step(id: string): { has: boolean; value: Value } {
    return { has: this.#steps.has(id), value: this.#steps.get(id) };
  }

  get stepIds(): readonly string[] {
    return [...this.#steps.keys()];
  }

  /** The id of the step that asks a question at an address. */
  askingStep(address: string): string | undefined {
    let found: string | undefined;
    for (const step of this.#begun.keys()) {
      if (address.startsWith(step) && step.length > (found?.length ?? -1)) found = step;
    }
    return found === undefined ? undefined : this.#begun.get(found);
  }

  /** What a jq expression of an assertion sees. */
  scope(value: Value): Scope {
    return {
      value,
      inputs: this.inputs,
      step: (id) => this.step(id).value,
      hasStep: (id) => this.step(id).has,
      allSteps: () => {
        const steps = {};
        for (const [id, step] of this.#steps) setOwnProperty(steps, id, step ?? null);
        return steps;
      },
      loop: null,
      state: {},
      context: {},
    };
  }
}

function callKey({ address, callId, round }: { address: string; callId: string; round: number }): string {
  return `${address} ${round} ${callId}`;
}
