import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

// biome-ignore lint/suspicious/noExplicitAny: the library is installed apart, and its types with it
export type DynamicClient = any;

const entry = fileURLToPath(new URL('node_modules/@mastra/client-js/dist/index.js', import.meta.url));

/** Whether the library was installed: `npm ci` in this directory. */
export const isClientInstalled = existsSync(entry);

if (!isClientInstalled)
  console.warn(
    'skipped: the client library is not installed: `npm ci` in test/server/client-js makes its tests run',
  );

/** A client of a server, made by the library itself. */
export async function dynamicClient(
  baseUrl: string,
  headers: Record<string, string> = {},
): Promise<DynamicClient> {
  const { MastraClient } = await import(pathToFileURL(entry).href);
  return new MastraClient({ baseUrl, headers, retries: 0 });
}
