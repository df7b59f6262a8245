// The same workflow in @mastra/core with a LibSQL file, behind the smallest possible HTTP server: each request starts a
// run and is answered when it has ended. node bench/server/mastra-server.mjs FILE
import { createServer } from 'node:http';
import { importPeer } from '../support/peers.mjs';
import { pure } from './workflows.mjs';

const { Mastra } = await importPeer('@mastra/core');
const { LibSQLStore } = await importPeer('@mastra/libsql');
const storage = new LibSQLStore({ id: 'bench', url: `file:${process.argv[2]}` });
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
