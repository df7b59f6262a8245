import { DefinitionError, StepError } from '../errors/errors.js';
import type { Environment, ModelTool, RegisteredTool, ToolService, Toolset } from '../kinds/services.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import type { ToolSelection } from '../plan/settings.js';
import { didYouMean } from '../plan/suggest.js';
import type { JsonObject } from '../values/value.js';
import { codeModelTool } from './code-tool.js';
import type { DefinedTool } from './define-tool.js';
import { McpServer } from './mcp/mcp-server.js';
import type { McpServerSettings } from './mcp/mcp-server-settings.js';
import { mcpModelTool, mcpRegisteredTool } from './mcp/mcp-tools.js';
import { ShellTool } from './shell-tool.js';
import type { ShellToolSettings } from './shell-tool-settings.js';
import { readSkill, type Skill, skillText, skillTool } from './skill.js';
import { type Approve, ToolApproval } from './tool-approval.js';
import { nameProblems, toolName } from './tool-names.js';
import { isAllowed, type ToolPolicy } from './tool-policy.js';

const defaultMaxResultBytes = 256 * 1024;

export interface ToolServiceOptions {
  environment: Environment;
  /** Sections of the configuration, by name. */
  tools?: Readonly<Record<string, ShellToolSettings>>;
  mcpServers?: Readonly<Record<string, McpServerSettings>>;
  /** Absolute paths. */
  skills?: Readonly<Record<string, string>>;
  /** Agents that may be offered as tools. */
  subagents?: SubagentDirectory;
  /** Tools given in code, by registration key; an `id` of their own wins over the key. */
  codeTools?: Readonly<Record<string, DefinedTool>>;
  policy?: ToolPolicy;
  /** Asks a person before every call (`--approve-tools`). Absent: nobody is asked. */
  approve?: Approve;
  /** Skills show only names and descriptions until the model reads one. */
  progressiveSkills?: boolean;
  /** Default 262,144. */
  maxResultBytes?: number;
  strict?: boolean;
  compaction?: { trigger_rounds: number; keep_last_n: number };
  /** Told what MCP servers print to standard error or log. */
  onLog?: (server: string, line: string) => void;
  /** Told secrets as they are expanded, before anything could show them. */
  onSecret?: (value: string) => void;
  /** How we introduce ourselves to MCP servers. */
  clientVersion?: string;
}

/** What must be known of an agent to offer it as a tool. */
export interface SubagentDirectory {
  names(): readonly string[];
  /** Reads the agent's file. `undefined` for a name that is not registered. */
  describe(
    name: string,
    options: { signal: AbortSignal },
  ): Promise<{ description?: string; inputSchema?: JsonObject } | undefined>;
}

/**
 * The tools of one run. Nothing is started, read or loaded before a step opens the tools it selects; MCP servers are
 * shared until `close`. Source: steps facts §12 and §13.
 *
 * @throws DefinitionError `tool_invalid` for shell tools whose templates are wrong and for names given twice
 */
export function createToolService(options: ToolServiceOptions): ToolService {
  return new Tools(options);
}

class Tools implements ToolService {
  readonly maxResultBytes: number;
  readonly strict: boolean;
  readonly compaction?: { trigger_rounds: number; keep_last_n: number };
  readonly #options: ToolServiceOptions;
  readonly #shellTools = new Map<string, ShellTool>();
  readonly #codeTools = new Map<string, RegisteredTool>();
  readonly #servers = new Map<string, McpServer>();
  readonly #approval: ToolApproval | undefined;

  constructor(options: ToolServiceOptions) {
    const { environment, onLog, onSecret = () => {}, clientVersion = '0.0.0' } = options;
    this.#options = options;
    this.maxResultBytes = options.maxResultBytes ?? defaultMaxResultBytes;
    this.strict = options.strict ?? false;
    this.compaction = options.compaction;
    this.#approval = options.approve && new ToolApproval(options.approve);
    const problems: string[] = [];
    for (const [name, settings] of Object.entries(options.tools ?? {})) {
      try {
        const tool = new ShellTool(name, settings, environment);
        this.#shellTools.set(name, tool);
        tool.secrets.forEach(onSecret);
      } catch (error) {
        problems.push(`tools.${name}: ${(error as Error).message}`);
      }
    }
    for (const [key, tool] of Object.entries(options.codeTools ?? {})) {
      if (this.#shellTools.has(key)) {
        problems.push(
          `the tool '${key}' is given twice: names of tools given in code and of tools: are shared`,
        );
      }
      this.#codeTools.set(key, { ...tool, id: key, ...(tool.id !== undefined && { ownId: tool.id }) });
    }
    if (problems.length > 0) throw definitionError('tool_invalid', problems);
    for (const [name, settings] of Object.entries(options.mcpServers ?? {})) {
      this.#servers.set(
        name,
        new McpServer(name, settings, {
          environment,
          onLog: (line) => onLog?.(name, line),
          onSecret,
          clientVersion,
        }),
      );
    }
  }

  async open(selection: ToolSelection, { signal }: { signal: AbortSignal }): Promise<Toolset> {
    const { mcp = [], subagents = [], tools = [], skills = [] } = selection;
    this.#checkSelection({ mcp, subagents, tools, skills });
    await this.#checkParameters(tools);
    const progressive = this.#options.progressiveSkills ?? false;
    const [mcpTools, subagentTools, readSkills] = await Promise.all([
      Promise.all(mcp.map((name) => this.#openServer(name, signal))),
      Promise.all(subagents.map((name) => this.#openSubagent(name, signal))),
      Promise.all(skills.map((name) => this.#openSkill(name, signal))),
    ]);
    const opened = [
      ...mcpTools.flat(),
      ...subagentTools,
      ...tools.map((name) => this.#openTool(name)),
      ...(progressive ? readSkills.map((skill) => named(skillTool(skill), `skill '${skill.name}'`)) : []),
    ];
    const problems = nameProblems(
      opened.map(({ tool, origin }) => ({ name: tool.definition.function.name, origin })),
    );
    if (problems.length > 0) throw definitionError('tool_name_invalid', problems);
    return { tools: opened.map(({ tool }) => tool), systemSuffix: skillText(readSkills, progressive) };
  }

  registered(key: string): RegisteredTool | undefined {
    const tool = this.#findRegistered(key);
    if (tool === undefined) return undefined;
    const wireName = this.#shellTools.has(key) || this.#codeTools.has(key) ? toolName('tool', key) : key;
    if (isAllowed(wireName, this.#options.policy ?? {})) return tool;
    return {
      ...tool,
      execute() {
        throw new StepError({ code: 'tool_denied', message: `tool_policy does not allow '${wireName}'` });
      },
    };
  }

  registeredKeys(): readonly string[] {
    return [...this.#codeTools.keys(), ...this.#shellTools.keys()];
  }

  async decide(
    tool: ModelTool,
    arguments_: JsonObject,
    { signal }: { signal: AbortSignal },
  ): Promise<'allowed' | 'denied' | 'approved' | 'rejected'> {
    if (!isAllowed(tool.definition.function.name, this.#options.policy ?? {})) return 'denied';
    return this.#approval === undefined ? 'allowed' : this.#approval.ask(tool, arguments_, signal);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #findRegistered(key: string): RegisteredTool | undefined {
    const known = this.#codeTools.get(key) ?? this.#shellTools.get(key)?.toRegisteredTool();
    if (known !== undefined) return known;
    // Names may hold `__` themselves: the longest fitting server name is the one meant.
    const server = [...this.#servers.values()]
      .filter(({ name }) => key.startsWith(`${toolName(name)}__`))
      .sort((a, b) => b.name.length - a.name.length)[0];
    return server && mcpRegisteredTool(server, key);
  }

  /** Names every unknown name at once, before anything is started. */
  #checkSelection(selection: Required<Omit<ToolSelection, 'max_tool_rounds'>>): void {
    const known: Record<keyof typeof selection, readonly string[]> = {
      mcp: [...this.#servers.keys()],
      subagents: this.#options.subagents?.names() ?? [],
      tools: this.registeredKeys(),
      skills: Object.keys(this.#options.skills ?? {}),
    };
    const sections = { mcp: 'mcp_servers', subagents: 'agents', tools: 'tools', skills: 'skills' } as const;
    const problems: string[] = [];
    for (const field of ['mcp', 'subagents', 'tools', 'skills'] as const) {
      for (const [index, name] of selection[field].entries()) {
        if (!known[field].includes(name)) {
          const hint = didYouMean(name, known[field]);
          problems.push(
            `${field}: '${name}' is not registered under ${sections[field]}: of the configuration${hint === undefined ? '' : `; ${hint}`}`,
          );
        } else if (selection[field].indexOf(name) !== index) {
          problems.push(`${field}: '${name}' is listed twice`);
        }
      }
    }
    if (problems.length > 0) throw definitionError('tool_unknown', problems);
  }

  async #checkParameters(tools: readonly string[]): Promise<void> {
    const problems = await Promise.all(tools.map((name) => this.#shellTools.get(name)?.parametersProblem()));
    const found = problems.filter((problem) => problem !== undefined);
    if (found.length > 0) throw definitionError('tool_invalid', found);
  }

  async #openServer(name: string, signal: AbortSignal) {
    const server = this.#servers.get(name)!;
    const tools = await server.tools(signal);
    return tools.map((tool) => named(mcpModelTool(server, tool), `MCP tool '${tool.name}' of '${name}'`));
  }

  async #openSubagent(name: string, signal: AbortSignal) {
    const agent = await this.#options.subagents!.describe(name, { signal });
    const tool: ModelTool = {
      definition: {
        type: 'function',
        function: {
          name: toolName('agent', name),
          description: agent?.description ?? `Hands a task to the agent '${name}' and returns its answer.`,
          parameters: agent?.inputSchema ?? inputParameters,
        },
      },
      subagent: name,
      call() {
        throw new Error(`the subagent '${name}' is run by the engine`);
      },
    };
    return named(tool, `subagent '${name}'`);
  }

  #openSkill(name: string, signal: AbortSignal): Promise<Skill> {
    return readSkill(name, this.#options.skills![name]!, { signal });
  }

  #openTool(name: string) {
    const code = this.#codeTools.get(name);
    const tool = code === undefined ? this.#shellTools.get(name)!.toModelTool() : codeModelTool(code);
    return named(tool, `tool '${name}'`);
  }
}

/** Parameters of an agent that declares no `input_schema`. Source: steps facts §13. */
export const inputParameters: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'What the agent is to work on.' } },
  required: ['input'],
};

function named(tool: ModelTool, origin: string): { tool: ModelTool; origin: string } {
  return { tool, origin };
}

function definitionError(code: string, problems: readonly string[]): DefinitionError {
  const diagnostics = problems.map((message): Diagnostic => ({ code, severity: 'error', message }));
  return new DefinitionError({ code, message: problems.join('\n'), diagnostics });
}
