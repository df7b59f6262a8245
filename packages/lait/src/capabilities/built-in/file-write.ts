import { readFile } from 'node:fs/promises';
import { StepError } from '../../errors/errors.js';
import { isLaitError } from '../../errors/lait-error.js';
import { replaceFile } from '../../files/replace-file.js';
import { unwritable } from '../../files/unwritable.js';
import type { Capability, Environment } from '../../kinds/services.js';
import type { CapabilitySettings } from '../capability-settings.js';
import { confinedPath } from '../confined-path.js';
import { describeCapability } from '../define-capability.js';
import { fileRoot } from './file-root.js';

/**
 * Writes a UTF-8 file below the configured root: whole or not at all. An existing file is kept unless `overwrite`; one
 * with the same content counts as written, so that a repeated call succeeds. Source: graph facts §10.
 */
export function fileWrite(key: string, settings: CapabilitySettings, environment: Environment): Capability {
  const described = describeCapability(key, {
    description: 'Writes a text file below the configured root.',
    idempotent: true,
    effects: ['file_written'],
    input_schema: {
      type: 'object',
      properties: {
        relative_path: { type: 'string', minLength: 1 },
        content: { type: 'string' },
        overwrite: { type: 'boolean' },
      },
      required: ['relative_path', 'content'],
      additionalProperties: false,
    },
    output_schema: {
      type: 'object',
      properties: {
        relative_path: { type: 'string' },
        bytes_written: { type: 'integer' },
        overwritten: { type: 'boolean' },
      },
      required: ['relative_path', 'bytes_written', 'overwritten'],
      additionalProperties: false,
    },
    ...settings,
  });
  return {
    ...described,
    async execute({ relative_path, content, overwrite = false }) {
      const path = String(relative_path);
      const text = String(content);
      const target = await confinedPath(fileRoot(key, settings, environment), path, { create: true });
      const overwritten = await write(target, text, path, overwrite === true);
      const output = { relative_path: path, bytes_written: Buffer.byteLength(text), overwritten };
      return { status: 'succeeded', output, effects: described.effects };
    },
  };
}

/** Gives whether another content was there before. */
async function write(target: string, content: string, path: string, overwrite: boolean): Promise<boolean> {
  const before = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw failure(path, unwritable(path, error));
  });
  if (before === content) return false;
  if (before !== undefined && !overwrite) throw exists(path);
  try {
    await replaceFile(target, content, { mode: 0o666, exclusive: !overwrite });
  } catch (error) {
    throw failure(path, error);
  }
  return before !== undefined;
}

/** The root is nobody's business: errors name the path below it. */
function failure(path: string, error: unknown): unknown {
  if (!isLaitError(error)) return error;
  const { errno, reason } = error.details;
  if (errno === 'EEXIST') return exists(path);
  return new StepError({ code: error.code, message: `'${path}' cannot be written: ${reason}` });
}

function exists(path: string): StepError {
  return new StepError({
    code: 'file_exists',
    message: `'${path}' exists already; set overwrite to replace it`,
  });
}
