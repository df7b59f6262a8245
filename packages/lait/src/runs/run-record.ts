import type { Question } from '../engine/question.js';
import type { Form } from '../plan/plan.js';
import type { SourceFile } from '../plan/source.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { RunStatus } from './run-status.js';

/** What a run runs: its sources are pinned, so that a change of the file does not change the run. */
export interface RunDefinition {
  form: Form;
  id: string;
  origin: string;
  directory?: string;
  sources: readonly SourceFile[];
}

/** A question that somebody must answer before the run goes on. */
export interface RunQuestion {
  /** Names the question within the run; an answer refers to it. */
  address: string;
  question: Question;
  node_id?: string;
  activation_id?: string;
  /** The id under which people find it. */
  hitl_run_id?: string;
  asked_at?: string;
}

/** One run as it is stored. Times are UTC ISO 8601 texts. Source: graph facts §1.6. */
export interface RunRecord {
  run_id: string;
  definition: RunDefinition;
  status: RunStatus;
  /** Counts the changes of this record: whoever changes it names the revision that he has seen. */
  revision: number;
  /** The piped value of the forms that have one. */
  value?: Value;
  /** As submitted. */
  inputs: JsonValue;
  /** `reference_time`, and what the caller handed along. */
  context: JsonObject;
  /** The run that this one repeats. */
  source_run_id?: string;
  /** Higher ones are begun first. Default 0. */
  priority?: number;
  /** Which process works or last worked on it. */
  worker_instance_id?: string;
  /** Open questions; empty while nothing is asked. */
  questions: readonly RunQuestion[];
  /** Every answer that was given, by the address of its question. */
  answers: JsonObject;
  /** The value that the run ended with. */
  result?: Value;
  result_summary?: string;
  error_summary?: string;
  created_at: string;
  updated_at: string;
  /** When it last became `queued`; the store sets it. */
  queued_at?: string;
  started_at?: string;
  finished_at?: string;
}

/** An entry of a run's log, before it has its place. */
export interface NewRunEvent {
  event_type: string;
  payload: JsonObject;
  /** An event with a key is logged once per run, however often a resumed run says it again. */
  key?: string;
}

/** An entry of a run's log. Source: graph facts §1.8. */
export interface RunLogEvent extends NewRunEvent {
  run_id: string;
  /** From 1 per run, without gaps. */
  seq: number;
  created_at: string;
}
