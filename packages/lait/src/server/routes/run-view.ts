import { z } from 'zod';
import type { NodeRow } from '../../runs/node-rows.js';
import type { RunLogEvent, RunQuestion, RunRecord } from '../../runs/run-record.js';
import { form, id, json, jsonObject, runStatus, time } from './schemas.js';

/** Names a run in the path of a request. */
export const runPath = z.object({ run_id: id });

export const questionSchema = z
  .object({
    address: z.string().describe('Names the question within its run.'),
    question_id: z.string().nullable().describe('Names the question in all runs.'),
    node_id: z.string().nullable(),
    type: z.enum(['text', 'select', 'boolean', 'resume', 'attention']),
    text: z.string(),
    choices: z.array(z.string()).nullable(),
    default: z.string().nullable(),
    payload: json.describe('What a suspended tool handed along.'),
    asked_at: time.nullable(),
  })
  .meta({ id: 'Question' });

export const runSchema = z
  .object({
    run_id: z.string(),
    workflow: z.string(),
    form,
    status: runStatus,
    revision: z.int().describe('Counts the changes of the run.'),
    input: json,
    inputs: json,
    result: json,
    result_summary: z.string().nullable(),
    error: z.string().nullable(),
    priority: z.int(),
    questions: z.array(questionSchema).describe('What somebody must answer before the run goes on.'),
    source_run_id: z.string().nullable().describe('The run that this one repeats.'),
    worker: z.string().nullable(),
    created_at: time,
    updated_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
  })
  .meta({ id: 'Run' });

export const answersRun = { description: 'The run as it stands now.', schema: runSchema };

export const nodeSchema = z
  .object({
    node_id: z.string(),
    activation_id: z.string().nullable(),
    attempt: z.int(),
    status: z.string(),
    inputs: json.optional(),
    output: json.optional(),
    effects: z.array(z.string()).optional(),
    error_summary: z.string().optional(),
    attention_reason: z.string().optional(),
    started_at: time.optional(),
    finished_at: time.optional(),
  })
  .meta({ id: 'RunNode' });

export const eventSchema = z
  .object({ seq: z.int(), type: z.string(), at: time, payload: jsonObject })
  .meta({ id: 'RunEvent' });

/** An open question: what is asked, and the ids that answer it. */
export function questionView({ address, question, ...more }: RunQuestion): z.infer<typeof questionSchema> {
  return {
    address,
    question_id: more.hitl_run_id ?? null,
    node_id: more.node_id ?? null,
    type: question.type,
    text: question.text,
    choices: question.choices === undefined ? null : [...question.choices],
    default: question.default ?? null,
    payload: question.payload ?? null,
    asked_at: more.asked_at ?? null,
  };
}

/** A run as every interface of `/v1` shows it. */
export function runView(record: RunRecord): z.infer<typeof runSchema> {
  return {
    run_id: record.run_id,
    workflow: record.definition.id,
    form: record.definition.form,
    status: record.status,
    revision: record.revision,
    input: record.value ?? null,
    inputs: record.inputs,
    result: record.result ?? null,
    result_summary: record.result_summary ?? null,
    error: record.error_summary ?? null,
    priority: record.priority ?? 0,
    questions: record.questions.map(questionView),
    source_run_id: record.source_run_id ?? null,
    worker: record.worker_instance_id ?? null,
    created_at: record.created_at,
    updated_at: record.updated_at,
    started_at: record.started_at ?? null,
    finished_at: record.finished_at ?? null,
  };
}

/** An attempt of a node. */
export function nodeView({ hitl_run_id, cancel_outcome, ...row }: NodeRow): z.infer<typeof nodeSchema> {
  return row;
}

/** An entry of a run's log. */
export function eventView({
  seq,
  event_type,
  created_at,
  payload,
}: RunLogEvent): z.infer<typeof eventSchema> {
  return { seq, type: event_type, at: created_at, payload };
}
