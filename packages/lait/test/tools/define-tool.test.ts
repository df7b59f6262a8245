import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { DirectToolContext } from '../../src/kinds/services.js';
import { defineTool } from '../../src/tools/define-tool.js';
import type { JsonValue } from '../../src/values/value.js';

const context: DirectToolContext = {
  signal: new AbortController().signal,
  idempotencyKey: 'k',
  runId: 'r',
  state: {},
  setState() {},
  suspend: () => Promise.reject(new Error('suspended')),
};

describe('a tool with a JSON Schema', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      unit: { enum: ['c', 'f'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['city', 'unit'],
  } as const;
  const forecast = defineTool({
    id: 'forecast',
    description: 'tells the weather',
    inputSchema,
    outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute(input) {
      expectTypeOf(input).toEqualTypeOf<{ city: string; unit: 'c' | 'f'; days?: number; tags?: string[] }>();
      return { text: `${input.city} ${input.days ?? 1}${input.unit}` };
    },
  });

  it('[tools.code-checked] checks input and output in full, and infers their types', async () => {
    expect(await forecast.execute({ city: '京都', unit: 'c' }, context)).toEqual({ text: '京都 1c' });
    await expect(forecast.execute({ city: 5 }, context)).rejects.toThrow(
      /input of the tool does not fit its schema: .*'unit'.*\/city must be string/,
    );
    await expect(forecast.execute({ city: 'x', unit: 'k' }, context)).rejects.toThrow(/\["c","f"\]/);
    expect(forecast).toMatchObject({ id: 'forecast', description: 'tells the weather', inputSchema });
  });

  it('refuses a result that does not fit or is no JSON', async () => {
    const lying = defineTool({
      outputSchema: { type: 'string' },
      execute: (() => 5) as unknown as () => string,
    });
    await expect(lying.execute(null, context)).rejects.toThrow(/result of the tool does not fit/);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const value of [circle, 10n, () => 1]) {
      const odd = defineTool({ execute: () => value as never });
      await expect(odd.execute(null, context)).rejects.toThrow(/not JSON/);
    }
    const nothing = defineTool({ execute: () => undefined as never });
    expect(await nothing.execute(null, context)).toBeUndefined();
  });

  it('refuses a result that holds the same parts over and over [values.size]', async () => {
    const tool = defineTool({
      id: 'endless',
      description: 'gives what never ends',
      execute: () => Array.from({ length: 60 }).reduce((value) => [value, value], 1 as unknown) as JsonValue,
    });
    await expect(tool.execute({}, context)).rejects.toMatchObject({
      code: 'tool_value_invalid',
      message: expect.stringContaining('too large'),
    });
  });

  it('is checked by its own properties only', async () => {
    const tool = defineTool({
      inputSchema: { type: 'object', required: ['toString'] },
      execute: () => 'ok',
    });
    await expect(tool.execute({}, context)).rejects.toThrow(/toString/);
    expect(await tool.execute(JSON.parse('{"toString": 1}'), context)).toBe('ok');
  });
});

describe('a tool with a schema of a library', () => {
  it('zod: converts, infers, offers a JSON Schema', async () => {
    const tool = defineTool({
      inputSchema: z.object({ n: z.string().transform(Number), on: z.boolean().default(true) }),
      outputSchema: z.object({ double: z.number() }),
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<{ n: number; on: boolean }>();
        return { double: input.n * 2 };
      },
    });
    expect(await tool.execute({ n: '21' }, context)).toEqual({ double: 42 });
    await expect(tool.execute({ n: 21 }, context)).rejects.toThrow(/\/n: /);
    expect(tool.inputSchema).toMatchObject({ type: 'object', properties: { n: { type: 'string' } } });
    expect(tool.outputSchema).toMatchObject({ properties: { double: { type: 'number' } } });
  });

  it('valibot: checks and infers; without a conversion there is no JSON Schema', async () => {
    const tool = defineTool({
      inputSchema: v.object({ a: v.array(v.object({ b: v.number() })) }),
      execute: ({ a }) => a.length,
    });
    expect(await tool.execute({ a: [{ b: 1 }] }, context)).toBe(1);
    await expect(tool.execute({ a: [{ b: 'x' }] }, context)).rejects.toThrow(/\/a\/0\/b: /);
    expect(tool.inputSchema).toBeUndefined();
  });

  it('arktype: a schema that is a function works the same', async () => {
    const tool = defineTool({ inputSchema: type({ name: 'string' }), execute: ({ name }) => `hi ${name}` });
    expect(await tool.execute({ name: 'お茶' }, context)).toBe('hi お茶');
    await expect(tool.execute({}, context)).rejects.toThrow(/name/);
    expect(tool.inputSchema).toMatchObject({ properties: { name: { type: 'string' } } });
  });
});
