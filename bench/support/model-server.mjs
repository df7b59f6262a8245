// A model server for measurements: answers every chat completion after a fixed time, from a process of its own. Who
// offers tools is asked to call the first one; who hands over its result gets the answer.
import { createServer } from 'node:http';

const latencyMs = Number(process.argv[2]);
const answer = reply({ role: 'assistant', content: 'A short answer.' }, 'stop');

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = replyTo(Buffer.concat(pieces));
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    }, latencyMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 1024, () => process.send(server.address().port));
process.on('disconnect', () => process.exit());

function replyTo(request) {
  if (!request.includes('"tools":[') || request.includes('"role":"tool"')) return answer;
  const { name } = JSON.parse(request).tools[0].function;
  const call = { id: 'call', type: 'function', function: { name, arguments: '{"text":"a word"}' } };
  return reply({ role: 'assistant', content: null, tool_calls: [call] }, 'tool_calls');
}

function reply(message, finish_reason) {
  return Buffer.from(
    JSON.stringify({
      id: 'reply',
      object: 'chat.completion',
      model: 'mock',
      choices: [{ index: 0, finish_reason, message }],
      usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 },
    }),
  );
}
