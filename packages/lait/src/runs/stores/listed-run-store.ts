import type { RunRecord } from '../run-record.js';
import type { InboxQuestion, QuestionFilter, RunFilter, RunSelection, RunStore } from '../run-store.js';
import { isSelected, selectQuestions, selectRuns } from './run-selection.js';

/** What a store that has all its records at hand finds in them. */
export abstract class ListedRunStore implements Pick<RunStore, 'list' | 'count' | 'questions'> {
  /** Every run as it is shown. */
  protected abstract records(): Promise<readonly RunRecord[]>;

  async list(filter: RunFilter = {}): Promise<RunRecord[]> {
    return structuredClone(selectRuns(await this.records(), filter));
  }

  async count(selection: RunSelection = {}): Promise<number> {
    return (await this.records()).filter((record) => isSelected(record, selection)).length;
  }

  async questions(filter: QuestionFilter = {}): Promise<InboxQuestion[]> {
    return structuredClone(selectQuestions(await this.records(), filter));
  }
}
