import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bareFanOut, laitFanOut } from '../support/fan-out.mjs';

const size = { branches: 200, width: 50, callsEach: 2 };
const description = 'Gives back its text.';
const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const mcpServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../support/echo-mcp-server.mjs', import.meta.url))],
};
const echoCommand = ['printf', '%s'];

/** For each case what lait is given, and what the same tool is without lait: made around each run of all branches. */
const tools = {
  'in code': {
    async lait() {
      const { defineTool } = await import('lait');
      const echo = defineTool({ description, inputSchema: parameters, execute: ({ text }) => text });
      return { tools: { echo }, prompt: { tools: ['echo'] } };
    },
    bare: (run) => run(({ text }) => text),
  },
  'of an MCP server over stdio': {
    lait: () => ({ config: { mcp_servers: { echo: mcpServer } }, prompt: { mcp: ['echo'] } }),
    async bare(run) {
      const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
      const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
      const client = new Client({ name: 'bare', version: '1.0.0' });
      await client.connect(new StdioClientTransport(mcpServer));
      await client.listTools();
      await run(async (input) => (await client.callTool({ name: 'echo', arguments: input })).content[0].text);
      await client.close();
    },
  },
  'that is a program': {
    lait: () => ({
      config: { tools: { echo: { description, parameters, command: [...echoCommand, '{{ input.text }}'] } } },
      prompt: { tools: ['echo'] },
    }),
    bare(run) {
      const [program, ...args] = echoCommand;
      return run(async ({ text }) => (await promisify(execFile)(program, [...args, text])).stdout);
    },
  },
};

export default {
  title: '200 branches, each with two model calls of 50 ms and a tool call between them, 50 at once',
  unit: 'ideal',
  scale: 'ratio',
  rounds: 10,
  staysWarm: true,
  cases: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [`a tool ${name}`, tool])),
  target: { subject: 'lait', below: 1.25, case: 'a tool in code' },
  note: `Wall time over the ideal one, 400 ms. The model asks for one tool call and answers when it has the result. \`bare fetch\`
does the same with nothing around it: it calls the function, starts one MCP server for each run and speaks to it with the
MCP SDK's client, or starts the same program for each call. So the second and third case show what starting processes
costs on this machine, with lait and without. Both subjects are warm, as in the row without tools.`,
  subjects: {
    lait: { prepare: async ({ lait }) => laitFanOut({ ...size, ...(await lait()) }) },
    'bare fetch': { prepare: ({ bare }) => bareFanOut({ ...size, around: bare, branch: withTool }) },
  },
};

async function withTool(word, ask, tool) {
  const messages = [{ role: 'user', content: `Say ${word}` }];
  const definitions = [{ type: 'function', function: { name: 'echo', description, parameters } }];
  const wanted = await ask(messages, definitions);
  const [{ id, function: call }] = wanted.tool_calls;
  const result = await tool(JSON.parse(call.arguments));
  return ask([...messages, wanted, { role: 'tool', tool_call_id: id, content: result }], definitions);
}
