import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { StepError } from '../../errors/errors.js';
import type { Capability, Environment } from '../../kinds/services.js';
import type { CapabilitySettings } from '../capability-settings.js';
import { confinedPath } from '../confined-path.js';
import { describeCapability } from '../define-capability.js';
import { fileRoot } from './file-root.js';

const defaultMaxBytes = 1_048_576;

/** Reads a UTF-8 file below the configured root. Source: graph facts §10. */
export function fileRead(key: string, settings: CapabilitySettings, environment: Environment): Capability {
  const maxBytes = settings.max_bytes ?? defaultMaxBytes;
  return {
    ...describeCapability(key, {
      description: 'Reads a text file below the configured root.',
      read_only: true,
      input_schema: {
        type: 'object',
        properties: { relative_path: { type: 'string', minLength: 1 } },
        required: ['relative_path'],
        additionalProperties: false,
      },
      output_schema: {
        type: 'object',
        properties: { relative_path: { type: 'string' }, content: { type: 'string' } },
        required: ['relative_path', 'content'],
        additionalProperties: false,
      },
      ...settings,
    }),
    async execute({ relative_path }) {
      const path = String(relative_path);
      const target = await confinedPath(fileRoot(key, settings, environment), path);
      return {
        status: 'succeeded',
        output: { relative_path: path, content: await readBounded(target, path, maxBytes) },
      };
    },
  };
}

async function readBounded(target: string, path: string, maxBytes: number): Promise<string> {
  // Devices and pipes would never end: opened without waiting, and only regular files are read.
  const handle = await open(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT')
        throw new StepError({ code: 'file_not_found', message: `there is no file '${path}'` });
      throw new StepError({ code: 'file_unreadable', message: `'${path}' cannot be read: ${error.code}` });
    },
  );
  try {
    const stats = await handle.stat();
    if (!stats.isFile())
      throw new StepError({ code: 'file_unreadable', message: `'${path}' is no regular file` });
    if (stats.size > maxBytes)
      throw new StepError({ code: 'file_too_large', message: `'${path}' is longer than ${maxBytes} bytes` });
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
  } catch (error) {
    if (error instanceof TypeError)
      throw new StepError({ code: 'file_not_utf8', message: `'${path}' is no UTF-8 text` });
    throw error;
  } finally {
    await handle.close();
  }
}
