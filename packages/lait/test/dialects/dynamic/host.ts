import type { DynamicRunResult, StartOptions } from '../../../src/dialects/dynamic/dynamic-run.js';
import { createLait, type DefinedTool, defineTool, type LaitOptions } from '../../../src/index.js';

const any = {};
const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

/** Tools that the tests share: each does one visible thing. */
export const tools: Record<string, DefinedTool> = {
  echo: defineTool({ inputSchema: any, outputSchema: any, execute: (input) => input }),
  upper: defineTool({
    inputSchema: { type: 'object', properties: { text }, required: ['text'] },
    outputSchema: { type: 'object', properties: { text }, required: ['text'] },
    execute: ({ text: given }) => ({ text: given.toUpperCase() }),
  }),
  increment: defineTool({
    inputSchema: { type: 'object', properties: { n: number }, required: ['n'] },
    outputSchema: { type: 'object', properties: { n: number }, required: ['n'] },
    execute: ({ n }) => ({ n: n + 1 }),
  }),
  double: defineTool({ inputSchema: number, outputSchema: number, execute: (n) => n * 2 }),
  fail: defineTool({
    inputSchema: any,
    outputSchema: any,
    execute: () => {
      throw new TypeError('boom');
    },
  }),
  nothing: defineTool({ inputSchema: any, outputSchema: any, execute: () => undefined }),
  ask: defineTool({
    inputSchema: any,
    outputSchema: any,
    execute: async (input, context) =>
      context.resume === undefined ? context.suspend({ asks: input as never }) : { answered: context.resume },
  }),
};

export async function host(options: LaitOptions = {}) {
  return createLait({
    config: false,
    ...options,
    tools: { ...tools, ...options.tools },
    agents: {
      parrot: { answer: async (prompt) => ({ text: `echo: ${prompt}` }) },
      structured: { name: 'structured-own-id', answer: async () => ({ text: '{"title":"T","n":3}' }) },
      ...options.agents,
    },
  });
}

/** Registers definitions and runs the last one. */
export async function run(
  definitions: Record<string, unknown> | readonly Record<string, unknown>[],
  start: StartOptions = {},
  options: LaitOptions = {},
): Promise<DynamicRunResult> {
  const bundle = (Array.isArray(definitions) ? definitions : [definitions]) as Record<string, unknown>[];
  const lait = await host(options);
  await lait.addDynamicWorkflows(bundle.map(complete));
  const created = await lait.getWorkflow(String(bundle.at(-1)!.id ?? 'w')).createRun();
  return created.start(start);
}

/** Fills in what a test does not care about. */
export function complete(definition: Record<string, unknown>): Record<string, unknown> {
  return { id: 'w', inputSchema: {}, outputSchema: {}, ...definition };
}

export const tool = (id: string, toolId = id, more: Record<string, unknown> = {}) => ({
  type: 'tool',
  id,
  toolId,
  ...more,
});
export const mapping = (id: string, mapConfig: unknown) => ({ type: 'mapping', id, mapConfig });
export const literally = (value: boolean) => ({
  op: 'eq',
  left: { literal: 1 },
  right: { literal: value ? 1 : 2 },
});

/** The result of a run that must have succeeded. */
export function resultOf(outcome: DynamicRunResult): unknown {
  if (outcome.status !== 'success')
    throw new Error(`the run is ${outcome.status}: ${JSON.stringify(outcome)}`);
  return outcome.result;
}
