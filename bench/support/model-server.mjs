// A model server for measurements: answers every chat completion after a fixed time, from a process of its own.
import { createServer } from 'node:http';

const latencyMs = Number(process.argv[2]);
const reply = Buffer.from(
  JSON.stringify({
    id: 'reply',
    object: 'chat.completion',
    model: 'mock',
    choices: [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'A short answer.' } },
    ],
    usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
  }),
);

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length });
      response.end(reply);
    }, latencyMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 1024, () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
