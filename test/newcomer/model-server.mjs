// A model for newcomers: serves the OpenAI interface, calls a tool that it is offered once, and says something that fits.
import { createServer } from 'node:http';

function answerTo({ messages, tools = [], response_format: format }) {
  const results = messages.filter(({ role }) => role === 'tool');
  if (results.length > 0) return { content: `Please come on ${results.at(-1).content}.` };
  if (tools.length > 0) {
    const { name } = tools[0].function;
    const [date] = /\d{4}-\d{2}-\d{2}/.exec(JSON.stringify(messages)) ?? [];
    const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify({ date }) } };
    return { content: null, tool_calls: [call] };
  }
  if (format?.type === 'json_schema') {
    return { content: JSON.stringify({ title: 'Meeting', decisions: ['Release on Friday'] }) };
  }
  return { content: 'It was decided to release on Friday.' };
}

/** Starts the server on a free port of this machine. `requests` counts what was asked. */
export async function startModelServer() {
  const state = { requests: 0 };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.setHeader('content-type', 'application/json');
    if (request.url.endsWith('/models')) {
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'local-model', object: 'model' }] }));
      return;
    }
    state.requests += 1;
    const message = { role: 'assistant', ...answerTo(JSON.parse(body)) };
    const finish = message.tool_calls === undefined ? 'stop' : 'tool_calls';
    response.end(
      JSON.stringify({
        id: `reply-${state.requests}`,
        object: 'chat.completion',
        model: 'local-model',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    state,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
