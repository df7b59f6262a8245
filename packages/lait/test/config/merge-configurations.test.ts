import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigurationValues } from '../../src/config/configuration.js';
import { mergeConfigurations } from '../../src/config/merge-configurations.js';

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const path = fc.constantFrom('/x', '/y');
const key = fc.oneof(
  fc.record({ api_key: path }),
  fc.record({ api_key_cmd: path }),
  fc.constant<{ api_key?: string; api_key_cmd?: string }>({}),
);
const map = fc.dictionary(name, path, { noNullPrototype: true });
const configuration: fc.Arbitrary<ConfigurationValues> = fc
  .tuple(
    key,
    fc.record(
      {
        base_url: path,
        workflows: map,
        default: fc.record(
          { model: path, temperature: fc.constant(1), tools: fc.array(path) },
          { requiredKeys: [] },
        ),
        tool_policy: fc.record({ allow: fc.array(path), deny: fc.array(path) }, { requiredKeys: [] }),
        jev: fc
          .tuple(key, optional(path))
          .map(([pair, model]) => (model === undefined ? pair : { ...pair, model })),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([pair, rest]) => ({ ...pair, ...rest }));

test('a configuration merged with nothing is itself', () => {
  fc.assert(
    fc.property(configuration, (values) => {
      expect(mergeConfigurations(values, {})).toEqual(values);
      expect(mergeConfigurations({}, values)).toEqual(values);
    }),
  );
});

test('[config.merge] the project wins key by key and item by item; nothing of the global file is lost', () => {
  fc.assert(
    fc.property(configuration, configuration, (project, global) => {
      const merged = mergeConfigurations(project, global);
      expect(merged.base_url).toBe(project.base_url ?? global.base_url);
      const names = new Set([
        ...Object.keys(project.workflows ?? {}),
        ...Object.keys(global.workflows ?? {}),
      ]);
      expect(new Set(Object.keys(merged.workflows ?? {}))).toEqual(names);
      for (const entry of names) {
        const expected = Object.hasOwn(project.workflows ?? {}, entry)
          ? project.workflows![entry]
          : global.workflows![entry];
        expect(Object.getOwnPropertyDescriptor(merged.workflows, entry)?.value).toBe(expected);
      }
      for (const item of ['model', 'temperature', 'tools'] as const) {
        expect(merged.default?.[item]).toEqual(project.default?.[item] ?? global.default?.[item]);
      }
      for (const list of ['allow', 'deny'] as const) {
        const united = [...(project.tool_policy?.[list] ?? []), ...(global.tool_policy?.[list] ?? [])];
        expect(new Set(merged.tool_policy?.[list] ?? [])).toEqual(new Set(united));
      }
    }),
  );
});

test('a key of the project hides both key fields of the global file', () => {
  fc.assert(
    fc.property(configuration, configuration, (project, global) => {
      const merged = mergeConfigurations(project, global);
      expect(merged.api_key !== undefined && merged.api_key_cmd !== undefined).toBe(false);
      const own = project.api_key !== undefined || project.api_key_cmd !== undefined;
      expect(merged.api_key).toBe((own ? project : global).api_key);
      expect(merged.api_key_cmd).toBe((own ? project : global).api_key_cmd);
      expect(merged.jev?.model).toBe(project.jev?.model ?? global.jev?.model);
    }),
  );
});
