import { describe, expect, it } from 'vitest';
import { loadDynamicWorkflow } from '../../../src/dialects/dynamic/load-workflow.js';
import { DynamicWorkflowError } from '../../../src/index.js';
import { complete, host, literally, mapping, tool } from './host.js';

async function refused(
  definitions: Record<string, unknown> | readonly Record<string, unknown>[],
): Promise<DynamicWorkflowError> {
  const lait = await host();
  const bundle = (Array.isArray(definitions) ? definitions : [definitions]) as Record<string, unknown>[];
  const error: unknown = await lait
    .addDynamicWorkflows(bundle.map(complete))
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof DynamicWorkflowError)) throw new Error(`not refused: ${String(error)}`);
  expect(lait.listWorkflows()).toEqual([]);
  return error;
}

const codes = (error: DynamicWorkflowError) => error.issues.map(({ code, path }) => `${code} ${path}`);
const needsN = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

describe('issues', () => {
  it('[dynamic.issue-order] come as structure, schema keywords, references, schema flow, all at once', async () => {
    const error = await refused({
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      outputSchema: { anyOf: [] },
      graph: [
        { type: 'parallel', id: '', steps: [] },
        tool('a', 'unknown'),
        tool('a', 'echo'),
        { type: 'agent', id: 'p', agentId: 'parrot', outputSchema: { oneOf: [] } },
        tool('late', 'increment'),
        mapping('m', { x: { template: '${stepResults.later}' } }),
        { type: 'foreach', step: tool('f', 'echo'), opts: { concurrency: 0 } },
      ],
    });
    expect(codes(error)).toEqual([
      'duplicate-step-id graph.2.id',
      'missing-step-id graph.0.id',
      'invalid-parallel graph.0.steps',
      'invalid-foreach graph.6.opts.concurrency',
      'unsupported-schema-keyword outputSchema',
      'unsupported-schema-keyword graph.3.outputSchema',
      'missing-reference graph.1.toolId',
      'invalid-map-reference graph.5.mapConfig.x.template',
      'incompatible-schema graph.6',
    ]);
  });

  it('are the text of the error, one line each', async () => {
    const error = await refused({ graph: [tool('', 'echo'), tool('b', 'echoo')] });
    expect(error.message).toBe(
      [
        'Dynamic workflow "w" failed validation with 2 issue(s):',
        '- [missing-step-id] graph.0.id: Step id is required.',
        '- [missing-reference] graph.1.toolId: Step "b" declares toolId "echoo" which is not a registered tool.',
      ].join('\n'),
    );
  });

  it('suggest a registered name, and the right type for a name of the other kind', async () => {
    const error = await refused({
      graph: [tool('b', 'echoo'), tool('p', 'parrot'), { type: 'agent', id: 'e', agentId: 'echo' }],
    });
    expect(error.issues.map(({ hint }) => hint)).toEqual([
      'did you mean "echo"?',
      'use { "type": "agent", "agentId": "parrot" }',
      'use { "type": "tool", "toolId": "echo" }',
    ]);
  });

  it('find containers that share an id with any leaf, sleep or earlier container', async () => {
    const error = await refused({
      graph: [
        { type: 'parallel', id: 'late', steps: [tool('x', 'echo')] },
        { type: 'sleep', id: 'z', duration: 1 },
        { type: 'parallel', id: 'z', steps: [tool('y', 'echo')] },
        { type: 'parallel', id: 'own', steps: [tool('own', 'echo')] },
        tool('late', 'echo'),
      ],
    });
    expect(codes(error)).toEqual([
      'duplicate-step-id graph.0.id',
      'duplicate-step-id graph.2.id',
      'duplicate-step-id graph.3.id',
    ]);
  });

  it('judge only what is certain: single types that differ, and required keys that nobody declares', async () => {
    const flows = async (inputSchema: unknown) => {
      const lait = await host();
      return lait.addDynamicWorkflow(complete({ inputSchema, graph: [tool('i', 'increment')] })).then(
        () => true,
        () => false,
      );
    };
    expect(await flows({ type: 'object', properties: { n: { type: 'integer' } } })).toBe(true);
    expect(await flows({ type: ['string', 'null'] })).toBe(true);
    expect(await flows({ properties: {} })).toBe(true);
    expect(await flows({ type: 'object', properties: { n: { type: 'string' } } })).toBe(false);
    expect(await flows({ type: 'object', additionalProperties: true })).toBe(false);
    expect(await flows({ type: 'string' })).toBe(false);
  });

  it('follow mappings: inferred outputs, refused descriptors, results of foreach by item', async () => {
    const error = await refused({
      inputSchema: { type: 'array', items: needsN },
      graph: [
        { type: 'foreach', step: tool('each', 'increment') },
        mapping('m', {
          n: { value: 'text' },
          item: { step: 'each', path: 'n' },
          wrong: { step: 'each', path: 'zz' },
        }),
        tool('i', 'increment'),
      ],
    });
    expect(codes(error)).toEqual([
      'invalid-map-config graph.1.mapConfig.wrong.path',
      'incompatible-schema graph.2',
    ]);
  });

  it('are a plain error for what cannot be built, when nothing else is wrong', async () => {
    for (const [graph, message] of [
      [[{ type: 'sleep', id: 'z', duration: '5' }], /missing literal duration/],
      [[{ type: 'sleepUntil', id: 'z', date: 'soon' }], /unparseable date: soon/],
      [[{ type: 'zzz', id: 'a' }], /Unknown stored step type/],
      [
        [{ type: 'loop', loopType: 'while', step: tool('a', 'echo'), predicate: literally(true) }],
        /loopType/,
      ],
      [[{ type: 'conditional', steps: [tool('a', 'echo')], predicates: [{ op: 'nope' }] }], /needs an op/],
      [[{ type: 'parallel' }], /needs a list of steps/],
      [[null], /must be an object/],
    ] as const) {
      const error = await refused({ graph: graph as unknown as unknown[] });
      expect([error.issues, error.message]).toEqual([[], expect.stringMatching(message)]);
      expect(error.diagnostics.length).toBeGreaterThan(0);
    }
  });
});

describe('warnings', () => {
  const warnings = async (definition: Record<string, unknown>) => {
    const lait = await host();
    await lait.addDynamicWorkflow(complete(definition));
    return lait.getWorkflow('w').warnings.map(({ code, path }) => `${code} ${path}`);
  };

  it('[dynamic.warnings] name branches that never match, loops without end, placeholders and sources that lead nowhere', async () => {
    expect(
      await warnings({
        inputSchema: { type: 'object', properties: { kind: { type: 'string', enum: ['a', 'b'] } } },
        graph: [
          {
            type: 'conditional',
            id: 'never',
            steps: [tool('x', 'echo'), tool('y', 'echo')],
            predicates: [
              { op: 'eq', left: { path: 'initData.kind' }, right: { literal: 'c' } },
              { op: 'and', args: [literally(false), { op: 'exists', path: 'initData.kind' }] },
            ],
          },
          {
            type: 'loop',
            loopType: 'dowhile',
            step: tool('l', 'echo'),
            predicate: { op: 'not', arg: literally(false) },
          },
          mapping('m', { a: { template: '${initData.knid}' }, b: { step: 'never', path: '.' } }),
        ],
      }),
    ).toEqual([
      'never-matching-conditional graph.0',
      'endless-loop graph.1',
      'unknown-placeholder graph.2.mapConfig.a.template',
      'source-without-result graph.2.mapConfig.b.step',
    ]);
  });

  it('name schema keywords that nothing honours', async () => {
    expect(
      await warnings({
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'string', pattern: '^x' } },
          additionalProperties: false,
        },
        graph: [tool('e', 'echo')],
      }),
    ).toEqual(['ignored-schema-keyword inputSchema']);
  });

  it('stay silent where a value may be there after all', async () => {
    expect(
      await warnings({
        inputSchema: { type: 'array', items: needsN },
        graph: [
          { type: 'foreach', step: tool('each', 'increment') },
          mapping('m', { a: { template: '${stepResults.each.1.n} ${initData.length} ${state.x}' } }),
          {
            type: 'conditional',
            steps: [tool('x', 'echo')],
            predicates: [{ op: 'ne', left: { path: 'inputData.a' }, right: { literal: 1 } }],
          },
          {
            type: 'loop',
            loopType: 'dountil',
            step: tool('l', 'echo'),
            predicate: { op: 'exists', path: 'state.done' },
          },
        ],
      }),
    ).toEqual([]);
  });
});

describe('files', () => {
  const source = (text: string) => ({ file: 'w.json', text });

  it('[dynamic.positions] have the place of each finding, also under keys with dots and in YAML', () => {
    const text = `{
  "id": "w", "inputSchema": {}, "outputSchema": {},
  "graph": [
    { "type": "mapping", "id": "m", "mapConfig": { "a.b": { "value": 1, "template": "x" } } }
  ]
}`;
    const [json] = loadDynamicWorkflow(source(text), { directory: '.' }).diagnostics;
    expect(json).toMatchObject({
      code: 'invalid-map-config',
      path: 'graph.0.mapConfig.a.b',
      position: { line: 4, column: 59 },
    });
    const yaml =
      'id: w\ninputSchema: {}\noutputSchema: {}\ngraph:\n  - type: sleep\n    id: z\n    duration: soon\n';
    const [found] = loadDynamicWorkflow(source(yaml), { directory: '.' }).diagnostics;
    expect(found).toMatchObject({ code: 'invalid-sleep', position: { line: 7, column: 15 } });
  });

  it('need an id and schemas, and say where text is broken', () => {
    const missing = loadDynamicWorkflow(source('{"graph": [], "inputSchema": null}'), { directory: '.' });
    expect(missing.diagnostics.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'empty-graph graph',
      'missing-field outputSchema',
      'missing-field id',
      'missing-field inputSchema',
    ]);
    const broken = loadDynamicWorkflow(source('{\n "graph": [\n'), { directory: '.' });
    expect(broken.diagnostics[0]).toMatchObject({ code: 'syntax', position: { line: 3 } });
  });
});
