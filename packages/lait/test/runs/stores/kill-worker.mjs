// A process that brings one run to its end, and dies at a fault point on the way. Arguments: store, address, file of
// effects, fault point or `none` or `count`, which of its happenings.
import { appendFileSync, readFileSync } from 'node:fs';
import { onFaultPoint } from '../../../dist/engine/fault-point.js';
import { createLait, defineCapability } from '../../../dist/index.js';

const [kind, address, effectsFile, point, happening] = process.argv.slice(2);

const counts = {};
onFaultPoint((name) => {
  counts[name] = (counts[name] ?? 0) + 1;
  if (name === point && counts[name] === Number(happening)) process.kill(process.pid, 'SIGKILL');
});

async function openStore() {
  if (kind === 'files') {
    const { FileRunStore } = await import('../../../dist/runs/stores/files/file-run-store.js');
    return new FileRunStore(address);
  }
  const { SqlRunStore } = await import('../../../dist/runs/stores/sql/sql-run-store.js');
  if (kind === 'SQLite') {
    const { openSqliteDatabase } = await import('../../../dist/runs/stores/database/sqlite-database.js');
    return new SqlRunStore(await openSqliteDatabase(address));
  }
  const { openPostgresDatabase } = await import('../../../dist/runs/stores/database/postgres-database.js');
  const url = new URL(address);
  const schema = url.searchParams.get('schema');
  url.search = '';
  return new SqlRunStore(await openPostgresDatabase(url.href, { schema }));
}

const effect = (key, idempotent) =>
  defineCapability({
    key,
    approval_policy: 'auto',
    idempotent,
    execute: (_inputs, { activationId }) => {
      appendFileSync(effectsFile, `${key} ${activationId}\n`);
      return { from: key };
    },
  });

const capability = (node_id, capability_key, inputs = {}) => ({
  node_id,
  node_type: 'capability',
  config: { capability_key, inputs },
});
const edge = (edge_id, source_node_id, target_node_id) => ({
  edge_id,
  source_node_id,
  target_node_id,
  edge_kind: 'normal',
  condition: null,
  order_index: 0,
});
const graph = {
  inputs_schema: { type: 'object' },
  nodes: [
    { node_id: 'p', node_type: 'text_template', config: { template: 'はじめ' } },
    capability('a', 'repeatable'),
    capability('b', 'once'),
    capability('h', 'hitl_wait', { question: '続ける?' }),
    capability('c', 'once_more'),
    { node_id: 't', node_type: 'terminal', config: { outcome: 'success' } },
  ],
  edges: [
    edge('e0', 'p', 'a'),
    edge('e1', 'a', 'b'),
    edge('e2', 'b', 'h'),
    edge('e3', 'h', 'c'),
    edge('e4', 'c', 't'),
  ],
};

const store = await openStore();
const lait = await createLait({
  config: false,
  store,
  capabilities: [effect('repeatable', true), effect('once', false), effect('once_more', false)],
});
const runs = await lait.runs();
const { plan } = await lait.load(graph);

/** True when the call left its trace: what a person would look up before deciding. */
const happened = ({ activation_id }) => {
  try {
    return readFileSync(effectsFile, 'utf8').includes(activation_id);
  } catch {
    return false;
  }
};

if ((await runs.list()).length === 0) await runs.create(plan);
await runs.recover();
for (;;) {
  const [run] = await runs.list();
  const { run_id, status, questions } = run;
  if (status === 'queued') await runs.drive(run_id);
  else if (status === 'interrupted') await runs.resume(run_id);
  else if (status === 'waiting_hitl') await runs.answer(run_id, 'はい');
  else if (status === 'waiting_attention') {
    if (happened(questions[0])) await runs.attention(run_id, 'adopt', { output: { from: 'adopted' } });
    else await runs.attention(run_id, 'reexecute');
  } else break;
}
await store.close();
console.log(JSON.stringify(counts));
