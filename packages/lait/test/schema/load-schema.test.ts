import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSchema } from '../../src/schema/load-schema.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'lait-schema-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('loadSchema', () => {
  it('gives a body as it is', async () => {
    expect(await loadSchema({ name: 'city', body: { type: 'object' } })).toEqual({ type: 'object' });
  });

  it('reads a JSON file', async () => {
    const file = path.join(directory, 'ok.json');
    await writeFile(file, '{"type":"object","required":["都市"]}');
    expect(await loadSchema({ file })).toEqual({ type: 'object', required: ['都市'] });
  });

  it.each([
    ['{"type":', /is no JSON/],
    ['[1]', /must be an object/],
    [`${'{"items":'.repeat(50_000)}{}${'}'.repeat(50_000)}`, /nested deeper than 200 levels/],
    ['{"required": "a"}', /at required, required of a schema must be a list/],
  ])('refuses %.40s and names the file', async (text, message) => {
    const file = path.join(directory, 'bad.json');
    await writeFile(file, text);
    const failed = loadSchema({ file });
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toMatchObject({ code: 'schema_invalid', category: 'definition' });
    await expect(failed).rejects.toThrow(file);
  });

  it('names a file that does not exist', async () => {
    await expect(loadSchema({ file: path.join(directory, 'nope.json') })).rejects.toThrow(/nope\.json/);
  });
});
