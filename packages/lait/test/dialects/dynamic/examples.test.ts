import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLait } from '../../../src/index.js';

const examples = join(import.meta.dirname, '../../../../../examples/dynamic');
const launcher = join(import.meta.dirname, '../../../bin/lait.js');

it('the example definitions are valid and run with the tools of their configuration', async () => {
  const lait = await createLait({ workingDirectory: examples });
  for (const name of readdirSync(examples).filter((file) => file.endsWith('.json'))) {
    const warnings: string[] = [];
    await lait.load(name, { onWarning: ({ code }) => warnings.push(code) });
    expect([name, warnings]).toEqual([name, []]);
  }
  const workflow = await lait.load('route-request.json');
  expect(await workflow.run({ inputs: { text: 'hello big 世界' } })).toMatchObject({
    value: { route: { headline: '=== hello big 世界 (3 words) ===' }, words: '3' },
  });
});

it('the example program registers, suspends and resumes', () => {
  const output = execFileSync(process.execPath, [join(examples, 'approve-orders.mjs')], { encoding: 'utf8' });
  expect(output.split('\n')).toEqual([
    'decide: Buy printer for 480?',
    '{"orders":[{"item":"paper","approved":true},{"item":"printer","approved":true}]}',
    '',
  ]);
});

it('lait schema dynamic accepts the examples', async () => {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const schema = JSON.parse(
    execFileSync(process.execPath, [launcher, 'schema', 'dynamic'], { encoding: 'utf8' }),
  ) as object;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  for (const name of readdirSync(examples).filter((file) => file.endsWith('.json'))) {
    expect([name, validate(JSON.parse(readFileSync(join(examples, name), 'utf8'))), validate.errors]).toEqual(
      [name, true, null],
    );
  }
  expect(validate({ id: 'x', inputSchema: {}, outputSchema: {}, graph: [{ type: 'tool', id: 'a' }] })).toBe(
    false,
  );
});
