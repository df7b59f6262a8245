import type { RunEvent } from '../../engine/events.js';

/**
 * Knows which ids lead to a step: those of the calls of nested workflows that are around it, then its own. An address
 * of a step in a nested workflow begins with the address of the call and `>`.
 */
export class CallPaths {
  readonly #calls = new Map<string, string>();
  readonly #questions = new Map<string, readonly string[]>();

  add(event: RunEvent): void {
    if (event.type === 'step.started' && event.kind === 'workflow_call')
      this.#calls.set(event.address, event.id ?? event.label);
    if (event.type === 'question.asked') {
      this.#questions.set(event.address, [...this.callsAround(event.address), event.id ?? event.label]);
    }
  }

  /** The ids that lead to an open question. */
  of(address: string): readonly string[] | undefined {
    return this.#questions.get(address);
  }

  callsAround(address: string): string[] {
    const ids: string[] = [];
    for (let at = address.indexOf('>'); at >= 0; at = address.indexOf('>', at + 1)) {
      const id = this.#calls.get(address.slice(0, at));
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }
}
