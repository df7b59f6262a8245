import path from 'node:path';
import type { Expression } from '../expressions/expression.js';
import { writeInPlace } from '../files/write-in-place.js';
import { textOf } from '../values/text.js';
import { encodeUtf8 } from '../values/utf8.js';
import { completed, type Kind } from './kind.js';

interface WriteFields {
  write: Expression<string>;
}

/** `write`: stores the input's text form in a file and passes the input on. Source: steps seed, `write`. */
export const writeKind: Kind<WriteFields> = {
  name: 'write',
  shape: 'action',
  description: 'Writes the input to a file; the input is also the value.',
  fields: {
    write: {
      type: 'template',
      notBlank: true,
      required: true,
      description: 'The path, a template. Existing files are overwritten, directories are not created.',
    },
  },
  effects: 'rerun',
  reaches: () => ['write'],
  writes: ({ write }) => write,
  expressions: ({ write }) => [{ name: 'write', expression: write }],
  async execute({ write }, context) {
    const file = context.evaluate(write);
    const bytes = encodeUtf8(textOf(context.input), `the text for '${file}'`);
    await context.effect(async ({ signal }) => {
      await writeInPlace(file, bytes, {
        directory: path.resolve(context.services.environment.workingDirectory),
        signal,
      });
      return { value: null };
    });
    return completed(context.input);
  },
};
