import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The part of the client library that the tests use. */
export interface DynamicClient {
  // biome-ignore lint/suspicious/noExplicitAny: the library is installed apart and its types with it
  [method: string]: (...values: any[]) => any;
}

const entry = fileURLToPath(new URL('node_modules/@mastra/client-js/dist/index.js', import.meta.url));

/** Whether the library was installed: `npm ci` in this directory. */
export const isClientInstalled = existsSync(entry);

/** A client of a server, made by the library itself. */
export async function dynamicClient(
  baseUrl: string,
  headers: Record<string, string> = {},
): Promise<DynamicClient> {
  const { MastraClient } = await import(pathToFileURL(entry).href);
  return new MastraClient({ baseUrl, headers, retries: 0 });
}
