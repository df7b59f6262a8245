import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { says, startModelServer } from '../models/model-server.js';
import { directoryWith, lait } from './run-lait.js';

const call = (id: string, name: string, arguments_: object) =>
  says({
    tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(arguments_) } }],
  });

it('[conversation.results-traced] five megabytes reach the model as a part with a handle, and the trace as a whole', async () => {
  const server = await startModelServer(
    call('c1', 'tool__dump', {}),
    call('c2', 'tool_result__read', { call_id: 'c1', offset: 4_999_990, length: 100 }),
    says('read'),
  );
  const directory = directoryWith({
    'lait.config.yml': `base_url: "${server.baseUrl}"
default: { model: m }
tools: { dump: { command: [sh, -c, "head -c 5000000 /dev/zero | tr '\\\\0' x; printf 終"] } }
`,
    'w.yml': 'steps:\n  - prompt: go\n    tools: [dump]\n',
  });
  const { code, stdout } = await lait(directory, ['run', 'w.yml', 'x', '--trace-file', 't.jsonl']);
  expect([code, stdout]).toEqual([0, 'read\n']);
  expect(Buffer.byteLength(server.requests[1]!.text)).toBeLessThan(300 * 1024);
  expect(server.requests[1]!.text).toMatch(/\d+ of 5000003 bytes left out/);
  expect(server.requests[2]!.text).toContain('xxxxxxxxxx終\\n[characters 4999990 to 5000001 of 5000001]');
  const traced = readFileSync(join(directory, 't.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ operation }) => operation === 'execute_tool');
  expect(traced.attributes['gen_ai.tool.call.result']).toHaveLength(5_000_001);
});
