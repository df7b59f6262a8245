import { createHash } from 'node:crypto';
import type { RunEvent, StepFields } from '../engine/events.js';
import type { Question } from '../engine/question.js';
import { attentionEvidence } from '../kinds/attention.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { NodePlace, NodePlaces } from './node-places.js';
import { purposeOf } from './run-questions.js';
import type { NewRunEvent } from './run-record.js';

/** What happens in a run, told in the words of the graph form. Source: graph facts §8.4. */
export class GraphRunLog {
  /** Attempts whose start was told, by activation. */
  readonly #started = new Set<string>();

  constructor(readonly places: NodePlaces) {}

  /** The log entries of an engine event; none for what only concerns other sinks. */
  entriesOf(event: RunEvent): NewRunEvent[] {
    if (!('depth' in event) || !('path' in event) || event.depth !== 0) return this.#deeperEntries(event);
    const place = this.places.at(event.address);
    return place === undefined ? [] : this.#nodeEntries(event, place);
  }

  /** The question in the log; also for those that the runtime asks by itself. */
  asked(address: string, question: Question): NewRunEvent[] {
    const place = this.places.at(address);
    if (place === undefined) return [];
    const key = `asked ${address}`;
    const about = { node_id: place.node_id, activation_id: place.activation_id };
    switch (purposeOf(question)) {
      case 'hitl':
        return [
          {
            event_type: 'hitl_question_asked',
            payload: {
              ...about,
              hitl_run_id: hitlRunId(this.places.runId, address),
              question: question as unknown as JsonObject,
            },
            key,
          },
        ];
      case 'attention': {
        const { reason, certainty, output, effects } = attentionEvidence(question);
        const known = { ...(output !== undefined && { output }), effects: [...(effects ?? [])] };
        return [
          {
            event_type: 'node_needs_attention',
            payload: { ...about, attention_reason: reason, result_certainty: certainty, ...known },
            key,
          },
        ];
      }
      case 'interruption':
        return [{ event_type: 'node_interrupted', payload: { ...about, reason: question.text }, key }];
      default:
        return [];
    }
  }

  /** The answer in the log, with the question's own node and activation. */
  answered(address: string, question: Question, answer: JsonValue): NewRunEvent[] {
    const place = this.places.at(address);
    if (place === undefined) return [];
    const key = `answered ${address}`;
    const about = { node_id: place.node_id, activation_id: place.activation_id };
    const purpose = purposeOf(question);
    if (purpose === 'attention') {
      const decision = answer as JsonObject;
      return [
        {
          event_type: 'attention_resolved',
          payload: { ...about, decision: decision.decision ?? null, output: decision.output ?? null },
          key,
        },
      ];
    }
    if (purpose !== 'hitl') return [];
    return [
      {
        event_type: 'hitl_answer_received',
        payload: { ...about, hitl_run_id: hitlRunId(this.places.runId, address), answer },
        key,
      },
    ];
  }

  /** Questions that a workflow inside a node asks. */
  #deeperEntries(event: RunEvent): NewRunEvent[] {
    return event.type === 'question.asked' ? this.asked(event.address, event.question) : [];
  }

  #nodeEntries(event: Extract<RunEvent, StepFields>, place: NodePlace): NewRunEvent[] {
    const about = { node_id: place.node_id, activation_id: place.activation_id };
    switch (event.type) {
      case 'attempt.started':
        return this.#start(place, event.attempt, event.input);
      case 'attempt.failed': {
        const { attempt, error } = event;
        const payload = { ...about, attempt, error: { code: error.code, message: error.message } };
        return [
          ...this.#start(place, attempt),
          { event_type: 'node_failed', payload, key: `ended ${place.activation_id} ${attempt}` },
        ];
      }
      case 'step.completed': {
        const attempt = Math.max(event.attempt, 1);
        const effects = [...(event.effects ?? [])];
        const payload = {
          ...about,
          attempt,
          output: event.value ?? null,
          child_kind: null,
          child_run_id: null,
          effects,
        };
        return [
          ...this.#start(place, attempt),
          { event_type: 'node_completed', payload, key: `ended ${place.activation_id} ${attempt}` },
          ...effects.map((effect) => ({
            event_type: 'effect_satisfied',
            payload: { ...about, effect },
            key: `effect ${place.activation_id} ${effect}`,
          })),
        ];
      }
      case 'iteration.started':
        return [
          ...this.#start(place, 1),
          this.#iteration('loop_iteration_started', place, event.index + 1, event.state),
        ];
      case 'iteration.completed':
        return [this.#iteration('loop_iteration_completed', place, event.index + 1, event.value)];
      case 'question.asked':
        return this.asked(event.address, event.question);
      case 'agent.configured':
        return [
          {
            event_type: 'agent_config_fingerprint',
            payload: { ...about, agent_id: event.agent, fingerprint: event.fingerprint, child_run_id: null },
            key: `agent ${place.activation_id}`,
          },
        ];
      case 'output.mismatched':
        return [
          {
            event_type: 'capability_output_schema_mismatch',
            payload: { ...about, capability_key: event.capability, errors: event.errors },
            key: `mismatch ${place.activation_id}`,
          },
        ];
      default:
        return [];
    }
  }

  #start({ node_id, activation_id }: NodePlace, attempt: number, inputs?: Value): NewRunEvent[] {
    const key = `started ${activation_id} ${attempt}`;
    if (this.#started.has(key)) return [];
    this.#started.add(key);
    const payload = { node_id, activation_id, attempt, ...(inputs !== undefined && { inputs }) };
    return [{ event_type: 'node_started', payload, key }];
  }

  #iteration(
    event_type: string,
    { node_id, address }: NodePlace,
    iteration: number,
    state: Value,
  ): NewRunEvent {
    return {
      event_type,
      payload: { loop_node_id: node_id, iteration, state: state ?? null },
      key: `${event_type} ${address} ${iteration}`,
    };
  }
}

/** The id under which a question is known outside of its run. Source: graph facts §1.1. */
export function hitlRunId(runId: string, address: string): string {
  return `whitl_${createHash('sha256').update(runId).update('\0').update(address).digest('hex').slice(0, 32)}`;
}
