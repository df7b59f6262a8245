import type { RunEvent } from '../../engine/events.js';
import { costOf, type Pricing } from '../../observe/usage-report.js';
import type { Form } from '../../plan/plan.js';
import type { Database } from '../../runs/stores/database/database.js';
import type { ModelUsageTable } from '../../runs/stores/database/tables.js';

/** What model requests came to, added up. Input tokens are those that no cache gave. */
export interface UsageTotal {
  workflow?: string;
  model?: string;
  requests: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  /** Null when the price of a request is not known: never the same as free. */
  cost: number | null;
}

export interface UsageFilter {
  runId?: string;
  workflow?: string;
  model?: string;
  /** At this time or later, and before, as ISO 8601 texts. */
  from?: string;
  before?: string;
  groupBy?: readonly ('workflow' | 'model')[];
}

interface RunIdentity {
  run_id: string;
  definition: { form: Form; id: string };
}

/** Collects what models used. A request counts once, however often its run is replayed. */
export class ModelUsage {
  #waiting: ModelUsageTable[] = [];
  #writing: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly pricing: ReadonlyMap<string, Pricing>,
    private readonly onError: (error: unknown) => void,
  ) {}

  add({ run_id, definition }: RunIdentity, event: RunEvent): void {
    if (event.type !== 'model.responded') return;
    const { usage } = event;
    this.#waiting.push({
      run_id,
      // The same request of the same run has the same key.
      request_key: `${event.address}#${event.round}`.slice(0, 1000),
      workflow: JSON.stringify(definition.id),
      model: JSON.stringify(event.model),
      source: event.source,
      input_tokens: usage?.inputTokens ?? 0,
      cached_input_tokens: usage?.cachedInputTokens ?? 0,
      cache_write_tokens: usage?.cacheWriteTokens ?? 0,
      output_tokens: usage?.outputTokens ?? 0,
      cost: usage === null ? null : (costOf(usage, this.pricing.get(event.model)) ?? null),
      created_at: new Date(event.endedAt).toISOString(),
    });
    this.#writing ??= this.#write();
  }

  /** Resolves when everything that was added is stored. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async total(filter: UsageFilter = {}): Promise<UsageTotal[]> {
    await this.flush();
    const { runId, workflow, model, from, before, groupBy = [] } = filter;
    const rows = await this.database.read((queries) => {
      let query = queries
        .selectFrom('model_usage')
        .select(({ fn }) => [
          fn.countAll<number>().as('requests'),
          fn.sum<number>('input_tokens').as('input_tokens'),
          fn.sum<number>('cached_input_tokens').as('cached_input_tokens'),
          fn.sum<number>('cache_write_tokens').as('cache_write_tokens'),
          fn.sum<number>('output_tokens').as('output_tokens'),
          fn.sum<number>('cost').as('cost'),
          fn.count<number>('cost').as('priced'),
        ])
        .orderBy('requests', 'desc')
        .$if(groupBy.includes('workflow'), (grouped) => grouped.select('workflow').groupBy('workflow'))
        .$if(groupBy.includes('model'), (grouped) => grouped.select('model').groupBy('model'));
      if (runId !== undefined) query = query.where('run_id', '=', runId);
      if (workflow !== undefined) query = query.where('workflow', '=', JSON.stringify(workflow));
      if (model !== undefined) query = query.where('model', '=', JSON.stringify(model));
      if (from !== undefined) query = query.where('created_at', '>=', from);
      if (before !== undefined) query = query.where('created_at', '<', before);
      return query.execute();
    });
    return rows.map((row) => ({
      ...(row.workflow !== undefined && { workflow: JSON.parse(row.workflow) as string }),
      ...(row.model !== undefined && { model: JSON.parse(row.model) as string }),
      requests: Number(row.requests),
      input_tokens: Number(row.input_tokens ?? 0),
      cached_input_tokens: Number(row.cached_input_tokens ?? 0),
      cache_write_tokens: Number(row.cache_write_tokens ?? 0),
      output_tokens: Number(row.output_tokens ?? 0),
      cost: Number(row.priced) === Number(row.requests) ? Number(row.cost ?? 0) : null,
    }));
  }

  async #write(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, 100);
      try {
        await this.database.write((queries) =>
          queries
            .insertInto('model_usage')
            .values(batch)
            .onConflict((conflict) => conflict.columns(['run_id', 'request_key']).doNothing())
            .execute(),
        );
      } catch (error) {
        this.onError(error);
      }
    }
    this.#writing = undefined;
  }
}
