import type { ConfigurationValues } from './configuration.js';

/** Something that a configuration can do to the machine or to the secrets of who uses it. */
export interface Power {
  /** The key that gives it. */
  place: string;
  /** What happens, for people: `runs npx -y server`, `talks to https://api.example.com/v1 with ${KEY}`. */
  does: string;
}

/** Variables of a `.env` file that change which code programs run, or where connections go. */
const steering =
  /^(NODE_OPTIONS|NODE_PATH|LD_\w+|DYLD_\w+|PYTHON(PATH|STARTUP|HOME)|PERL5(OPT|LIB)|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|BASH_ENV|ENV|SHELL|PATH|PATHEXT|COMSPEC|IFS|GIT_\w+|npm_config_\w+|(HTTPS?|ALL|NO)_PROXY)$/i;

/**
 * What a configuration may execute, and where beyond this machine it sends what: key commands, MCP servers and shell
 * tools, and every server that is not local. In the order of the file's sections.
 */
export function powersOf(values: ConfigurationValues): Power[] {
  const { models = {}, mcp_servers = {}, tools = {}, capabilities = {}, jev } = values;
  const powers: Power[] = [...keyCommand('api_key_cmd', values.api_key_cmd)];
  powers.push(...talks('base_url', values.base_url, values.api_key));
  for (const [name, entries] of Object.entries(models)) {
    for (const { provider = {} } of entries) {
      const { base_url, api_key, api_key_cmd, headers, query } = provider;
      powers.push(...keyCommand(`models.${name}`, api_key_cmd));
      powers.push(...talks(`models.${name}`, base_url, [api_key, headers, query]));
    }
  }
  for (const [name, { command, args = [], url, headers, env }] of Object.entries(mcp_servers)) {
    const place = `mcp_servers.${name}`;
    if (command !== undefined) powers.push({ place, does: `runs ${line([command, ...args])}${using(env)}` });
    powers.push(...talks(place, url, headers));
  }
  for (const [name, { command, env }] of Object.entries(tools)) {
    powers.push({ place: `tools.${name}`, does: `lets models run ${line(command)}${using(env)}` });
  }
  for (const [name, { http }] of Object.entries(capabilities)) {
    powers.push(...talks(`capabilities.${name}`, http?.url, http?.headers));
  }
  powers.push(...keyCommand('jev.api_key_cmd', jev?.api_key_cmd));
  powers.push(...talks('jev', jev?.base_url, jev?.api_key));
  return powers;
}

/** What the names that a `.env` file adds can do. */
export function powersOfVariables(names: readonly string[]): Power[] {
  return names
    .filter((name) => steering.test(name))
    .map((name) => ({ place: '.env', does: `sets ${name} for lait and the programs it starts` }));
}

function keyCommand(place: string, command: string | readonly string[] | undefined): Power[] {
  if (command === undefined) return [];
  return [
    {
      place,
      does: `runs ${typeof command === 'string' ? `sh -c ${quoted(command)}` : line(command)} for a key`,
    },
  ];
}

/** Servers of this machine are the user's own. */
function talks(place: string, url: string | undefined, sent: unknown): Power[] {
  if (url === undefined || isLocal(url)) return [];
  return [{ place, does: `talks to ${url}${using(sent)}` }];
}

function using(value: unknown): string {
  const names = [...new Set((JSON.stringify(value) ?? '').match(/\$\{\w+\}/g) ?? [])];
  return names.length === 0 ? '' : ` with ${names.join(', ')}`;
}

function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\./.test(hostname)
  );
}

function line(command: readonly string[]): string {
  return command.map((word) => (/^[\w./:=@%+,{}-]+$/.test(word) ? word : quoted(word))).join(' ');
}

function quoted(word: string): string {
  return JSON.stringify(word);
}
