import type { ErrorCategory } from '../errors/lait-error.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';
import type { Question } from './question.js';

/** How a failure looks in events and records. */
export interface FailureRecord {
  code: string;
  category: ErrorCategory;
  /** The chain of causes, outermost first. */
  message: string;
  /** The part of the message below the names of steps, branches and items; absent when that is all of it. */
  reason?: string;
  details?: Record<string, JsonValue>;
}

/** Token counts of one model reply in disjoint parts. Source: field report FR-34. */
export interface Usage {
  /** Input tokens that were not read from a cache. */
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  /** The part of `outputTokens` that was spent on reasoning. */
  reasoningTokens: number;
}

/** Which step an event belongs to. */
export interface StepFields {
  /** Names this happening; unique in the run but for attempts. */
  address: string;
  path: string;
  id?: string;
  label: string;
  kind: string;
  /** Running number as people see it, with the prefix of its branch and the depth of its workflow. */
  number: number;
  prefix: string;
  depth: number;
}

/** What happens in a run, noun first. Everything that shows, stores or measures a run is built from these. */
export type RunEvent =
  | {
      type: 'run.started';
      runId: string;
      workflow: string;
      form: string;
      name?: string;
      description?: string;
    }
  | { type: 'run.completed'; runId: string; value: Value; outcome?: string }
  | { type: 'run.failed'; runId: string; error: FailureRecord }
  | { type: 'run.cancelled'; runId: string }
  | { type: 'run.parked'; runId: string; questions: readonly { address: string; question: Question }[] }
  | {
      type: 'workflow.started';
      address: string;
      name?: string;
      description?: string;
      workflow: string;
      depth: number;
    }
  | { type: 'workflow.completed'; address: string; workflow: string; depth: number }
  | ({ type: 'step.started'; input: Value } & StepFields)
  | ({
      type: 'step.completed';
      value: Value;
      attempt: number;
      effects?: readonly string[];
      durationMs: number;
    } & StepFields)
  | ({ type: 'step.skipped' } & StepFields)
  | ({ type: 'step.failed'; error: FailureRecord; durationMs: number } & StepFields)
  /** Only for steps with effects and for those that tell their input: the input after `input:` was applied. */
  | ({ type: 'attempt.started'; attempt: number; input: Value } & StepFields)
  | ({
      type: 'attempt.failed';
      attempt: number;
      maxAttempts: number;
      error: FailureRecord;
      waitSeconds: number;
    } & StepFields)
  | ({ type: 'handler.started'; error: FailureRecord } & StepFields)
  | ({ type: 'case.matched'; title: string } & StepFields)
  | ({
      type: 'iteration.started';
      index: number;
      count?: number;
      maxIterations?: number;
      state?: JsonObject;
    } & StepFields)
  | ({ type: 'iteration.completed'; index: number; count?: number; value: Value } & StepFields)
  | ({ type: 'branches.joined'; keys: readonly string[] } & StepFields)
  | ({ type: 'question.asked'; question: Question } & StepFields)
  | ({ type: 'question.answered'; answer: JsonValue } & StepFields)
  | ({ type: 'sleep.started'; until: number } & StepFields)
  /** The settings that an agent runs with, as a fingerprint: they are read when it starts. */
  | ({ type: 'agent.configured'; agent: string; fingerprint: string } & StepFields)
  /** What a capability gave does not fit what it declares. */
  | ({ type: 'output.mismatched'; capability: string; errors: string } & StepFields)
  | {
      type: 'model.requested';
      address: string;
      label: string;
      model: string;
      round: number;
      request: JsonObject;
    }
  /** A piece of a reply while it arrives; `requestName` tells the requests of a step apart. */
  | {
      type: 'model.token';
      address: string;
      label: string;
      requestName: string;
      text: string;
      reasoning?: boolean;
    }
  | {
      type: 'model.responded';
      address: string;
      label: string;
      /** The model that was asked for: prices belong to it. */
      model: string;
      /** What the server calls the model that answered. */
      responseModel: string;
      round: number;
      source: 'live' | 'cache' | 'replay';
      usage: Usage | null;
      startedAt: number;
      endedAt: number;
      reply: JsonObject;
    }
  | {
      type: 'model.failed';
      address: string;
      label: string;
      model: string;
      error: FailureRecord;
      startedAt: number;
      endedAt: number;
    }
  | {
      type: 'tool.called';
      address: string;
      label: string;
      tool: string;
      arguments: JsonValue;
      round: number;
      callId: string;
    }
  | {
      type: 'tool.completed';
      address: string;
      label: string;
      tool: string;
      callId: string;
      round: number;
      /** `invalid`: no call could be made of what the model wrote; `arguments` is then its text. */
      decision: 'allowed' | 'denied' | 'approved' | 'rejected' | 'invalid';
      isError: boolean;
      result: string;
      startedAt: number;
      endedAt: number;
    }
  | {
      type: 'history.compacted';
      address: string;
      label: string;
      removed: number;
      startedAt: number;
      endedAt: number;
    }
  | { type: 'note'; message: string; address?: string; prefix?: string; depth?: number }
  | { type: 'warning'; message: string; address?: string; prefix?: string; depth?: number };

export type RunEventType = RunEvent['type'];
export type ModelTokenEvent = Extract<RunEvent, { type: 'model.token' }>;
/** What a model answered, and what it used for it. */
export type ModelRespondedEvent = Extract<RunEvent, { type: 'model.responded' }>;
