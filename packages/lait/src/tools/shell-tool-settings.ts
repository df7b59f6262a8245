import type { JsonObject } from '../values/value.js';

/** A tool that is a program, as the configuration describes it. */
export interface ShellToolSettings {
  command: readonly string[];
  description?: string;
  parameters?: JsonObject;
  timeout?: number;
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}
