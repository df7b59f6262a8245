/** An MCP server as the configuration describes it: a program (`command`) or an address (`url`). */
export interface McpServerSettings {
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  allowed_tools?: readonly string[];
  /** Seconds that one call may take. Default 60. */
  timeout?: number;
  /** Seconds that starting and greeting it may take. Default 30. */
  startup_timeout?: number;
}
