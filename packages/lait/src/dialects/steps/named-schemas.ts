import { isName, nameRule } from '../../plan/names.js';
import type { TextRange } from '../../plan/problems.js';
import { type MapNode, type SourceNode, shorten } from '../../plan/yaml/source-node.js';
import type { SchemaSource } from '../../schema/schema-source.js';
import type { FieldCompiler } from './compile-fields.js';
import { compileSchema } from './compile-schema.js';

/** The `schemas:` of a file: compiled before everything that names them, and counted when used. */
export class NamedSchemas {
  readonly #schemas = new Map<string, { source: SchemaSource; range?: TextRange; used: boolean }>();

  compile(node: SourceNode | undefined, compiler: FieldCompiler): void {
    if (node?.type !== 'map') return;
    for (const { key, keyRange, value } of (node as MapNode).entries.values()) {
      const field = `schemas.${key}`;
      if (!isName(key)) {
        const message = `schemas: the name '${shorten(key)}' must be ${nameRule}`;
        compiler.problems.add({ code: 'bad_name', message, range: keyRange });
      }
      const schema = compileSchema(value, { field, block: field }, compiler, true);
      // A schema that is wrong still has its name: steps that use it are not wrong too.
      this.#schemas.set(key, {
        source: { name: key, ...(schema ?? { body: {} }) },
        range: keyRange,
        used: false,
      });
    }
  }

  get(name: string): SchemaSource | undefined {
    const schema = this.#schemas.get(name);
    if (schema !== undefined) schema.used = true;
    return schema?.source;
  }

  names(): string[] {
    return [...this.#schemas.keys()];
  }

  /** Those that nothing named, with the places of their names. */
  unused(): { name: string; source: SchemaSource; range?: TextRange }[] {
    const unused = [...this.#schemas].filter(([, { used }]) => !used);
    return unused.map(([name, { source, range }]) => ({ name, source, range }));
  }
}
