import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile, JqCompileError, JqRuntimeError, type JsonValue } from '../src/index.js';
import { printed, readSuite, readValue } from './support/suite.js';

const skips = JSON.parse(
  readFileSync(new URL('./conformance/skips.json', import.meta.url), 'utf8'),
) as Record<string, { reason: string; cases: string[] }>;
const skipped = new Map(
  Object.values(skips).flatMap(({ reason, cases }) => cases.map((id) => [id, reason] as const)),
);
const suites = ['jq.test', 'man.test', 'onig.test', 'uri.test', 'base64.test', 'optional.test'];

function outputsOf(program: string, input: JsonValue): JsonValue[] {
  const outputs: JsonValue[] = [];
  try {
    for (const output of compile(program).run(input)) outputs.push(output);
  } catch (error) {
    // Some cases end in an error on purpose; what came before it is what counts.
    if (!(error instanceof JqRuntimeError)) throw error;
  }
  return outputs;
}

for (const suite of suites) {
  describe(suite, () => {
    for (const { id, program, fails, input, expected } of readSuite(suite)) {
      if (skipped.has(id)) continue;
      it(`${id} ${program}`, () => {
        if (fails) expect(() => compile(program)).toThrow(JqCompileError);
        else
          expect(outputsOf(program, readValue(input)).map(printed)).toEqual(
            expected.map(readValue).map(printed),
          );
      });
    }
  });
}

it('skips only what is refused at compile time', () => {
  const cases = new Map(suites.flatMap(readSuite).map((found) => [found.id, found]));
  for (const id of skipped.keys()) {
    const found = cases.get(id);
    expect(found, id).toBeDefined();
    expect(() => compile(found!.program), id).toThrow(expect.objectContaining({ code: 'refused_feature' }));
  }
});
