import type { RunRecord } from '../run-record.js';
import type { InboxQuestion, QuestionFilter, RunFilter, RunSelection } from '../run-store.js';

/** True for a run that fits every condition. */
export function isSelected(record: RunRecord, selection: RunSelection): boolean {
  const { statuses, forms, workflow, createdFrom, createdBefore, finishedBefore } = selection;
  const { status, definition, created_at, finished_at } = record;
  return (
    (statuses === undefined || statuses.includes(status)) &&
    (forms === undefined || forms.includes(definition.form)) &&
    (workflow === undefined || definition.id === workflow) &&
    (createdFrom === undefined || created_at >= createdFrom) &&
    (createdBefore === undefined || created_at < createdBefore) &&
    (finishedBefore === undefined || (finished_at !== undefined && finished_at < finishedBefore))
  );
}

/** The page of a list that a filter asks for. */
export function selectRuns(records: Iterable<RunRecord>, filter: RunFilter): RunRecord[] {
  const { order = 'newest', after, offset = 0, limit = Number.POSITIVE_INFINITY } = filter;
  const direction = order === 'newest' ? -1 : 1;
  return [...records]
    .filter((record) => isSelected(record, filter))
    .sort((a, b) => direction * compareRuns(a, b))
    .filter((record) => after === undefined || direction * compareRuns(record, after) > 0)
    .slice(offset, offset + limit);
}

/** The open questions that a filter asks for, the oldest first. */
export function selectQuestions(records: Iterable<RunRecord>, filter: QuestionFilter): InboxQuestion[] {
  const { runId, workflow, forms, hitlRunId, offset = 0, limit = Number.POSITIVE_INFINITY } = filter;
  const found: InboxQuestion[] = [];
  for (const { run_id, definition, status, questions } of records) {
    if (runId !== undefined && run_id !== runId) continue;
    if (workflow !== undefined && definition.id !== workflow) continue;
    if (forms !== undefined && !forms.includes(definition.form)) continue;
    for (const question of questions) {
      if (hitlRunId !== undefined && question.hitl_run_id !== hitlRunId) continue;
      found.push({ ...question, run_id, workflow: definition.id, form: definition.form, status });
    }
  }
  const time = ({ asked_at = '' }: InboxQuestion) => asked_at;
  return found
    .sort((a, b) => compareTexts(time(a), time(b)) || compareTexts(a.run_id, b.run_id))
    .slice(offset, offset + limit);
}

type Place = Pick<RunRecord, 'created_at' | 'run_id'>;

/** By time of creation, then by id. */
function compareRuns(a: Place, b: Place): number {
  return compareTexts(a.created_at, b.created_at) || compareTexts(a.run_id, b.run_id);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
