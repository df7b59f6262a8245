// Counts in a run's record by comparing and setting. Arguments: store, address, name (`make` makes the run), how often.
import { changeRun } from '../../../dist/runs/run-changes.js';

const [kind, address, name, times] = process.argv.slice(2);

async function openStore() {
  if (kind === 'files') {
    const { FileRunStore } = await import('../../../dist/runs/stores/files/file-run-store.js');
    return new FileRunStore(address);
  }
  const { SqlRunStore } = await import('../../../dist/runs/stores/sql/sql-run-store.js');
  const { openSqliteDatabase } = await import('../../../dist/runs/stores/database/sqlite-database.js');
  return new SqlRunStore(await openSqliteDatabase(address));
}

const store = await openStore();
if (name === 'make') {
  const now = new Date().toISOString();
  await store.create(
    {
      run_id: 'wrun_counted',
      definition: { form: 'graph', id: 'flow', origin: 'flow.json', sources: [] },
      status: 'queued',
      revision: 1,
      inputs: {},
      context: {},
      questions: [],
      answers: {},
      created_at: now,
      updated_at: now,
    },
    [],
  );
} else {
  for (let count = 0; count < Number(times); count += 1) {
    await changeRun(store, 'wrun_counted', ({ answers }) => ({
      change: { answers: { ...answers, [name]: (answers[name] ?? 0) + 1 } },
      events: [{ event_type: 'counted', payload: { name } }],
    }));
  }
}
await store.close();
