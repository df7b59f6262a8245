// The same workflow in @mastra/core with a LibSQL file, behind the smallest possible HTTP server: each request starts a
// run and is answered when it has ended. node bench/server/mastra-server.mjs FILE [--flushed]
// Flushed: every transaction reaches the disk before it counts as done, as in lait; by itself the peer's do not.
import { createServer } from 'node:http';
import { importPeer } from '../support/peers.mjs';
import { pure } from './workflows.mjs';

const [file, flushed] = process.argv.slice(2);
const { Mastra } = await importPeer('@mastra/core');
const { LibSQLStore } = await importPeer('@mastra/libsql');
const { createClient } = await importPeer('@libsql/client');
const url = `file:${file}`;
const at = flushed === undefined ? { url } : { client: flushing(createClient({ url })) };
const storage = new LibSQLStore({ id: 'bench', ...at });
await storage.init?.();
const mastra = new Mastra({ storage, logger: false });
await mastra.addDynamicWorkflow(pure);

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', async () => {
    const inputData = JSON.parse(Buffer.concat(parts).toString());
    const run = await mastra.getWorkflow('pure').createRun();
    const result = await run.start({ inputData });
    response.writeHead(result.status === 'success' ? 200 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: result.status, runId: run.runId }));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

/** The client, on which the store's wish for fewer flushes comes to nothing. Connections begin with all of them. */
function flushing(client) {
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'execute') return value.bind(target);
      return (statement, ...rest) =>
        target.execute(
          typeof statement === 'string'
            ? statement.replace(/synchronous\s*=\s*NORMAL/i, 'synchronous = FULL')
            : statement,
          ...rest,
        );
    },
  });
}
