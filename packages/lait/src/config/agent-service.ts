import { resolve } from 'node:path';
import { agentOfSource } from '../dialects/steps/read-agent-file.js';
import type { AgentService } from '../kinds/services.js';
import type { AgentPlan } from '../plan/agent.js';
import { type ReadSource, readSourceFile } from '../plan/read-source.js';
import { loadSchema } from '../schema/load-schema.js';
import type { SubagentDirectory } from '../tools/tool-service.js';
import { ownProperty } from '../values/value.js';

export interface AgentServiceOptions {
  /** `agents:` of the configuration, with absolute paths. */
  registered: Readonly<Record<string, string>>;
  /** Agents given in code. */
  given: Readonly<Record<string, AgentPlan>>;
  /** Reads agent files. Default: from the disk. */
  read?: ReadSource;
}

/** Agents by file, by registered name, and given in code. A file is read when a step needs it. Source: facts §6. */
export class ConfiguredAgents implements AgentService {
  readonly #options: AgentServiceOptions;

  constructor(options: AgentServiceOptions) {
    this.#options = options;
  }

  file(path: string, directory: string, { signal }: { signal: AbortSignal }): Promise<AgentPlan> {
    return this.#read(resolve(directory, path), { signal });
  }

  async registered(name: string, options: { signal: AbortSignal }): Promise<AgentPlan | undefined> {
    if (Object.hasOwn(this.#options.given, name)) return this.#options.given[name];
    const path = ownProperty(this.#options.registered, name);
    return typeof path === 'string' ? this.#read(path, options) : undefined;
  }

  async #read(path: string, options: { signal: AbortSignal }): Promise<AgentPlan> {
    const { read = readSourceFile } = this.#options;
    return agentOfSource(await read(path, options));
  }

  registeredNames(): readonly string[] {
    return [...new Set([...Object.keys(this.#options.given), ...Object.keys(this.#options.registered)])];
  }

  /** The registered agents as tools: description and input schema. Source: facts §13. */
  asSubagents(): SubagentDirectory {
    return {
      names: () => this.registeredNames(),
      describe: async (name, options) => {
        const agent = await this.registered(name, options);
        if (agent === undefined) return undefined;
        const { description, inputSchema } = agent;
        return {
          ...(description === undefined ? {} : { description }),
          ...(inputSchema === undefined ? {} : { inputSchema: await loadSchema(inputSchema, options) }),
        };
      },
    };
  }
}
