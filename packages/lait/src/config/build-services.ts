import { CapabilityRegistry } from '../capabilities/capability-registry.js';
import type {
  AgentService,
  Capability,
  CapabilityService,
  Environment,
  Services,
} from '../kinds/services.js';
import { createDecisionService } from '../models/decision-service.js';
import { createModelService } from '../models/model-service.js';
import { type ReadSource, readPinned } from '../plan/read-source.js';
import type { SourceFile } from '../plan/source.js';
import type { SpendingLimits } from '../plan/spending-limits.js';
import type { DefinedTool } from '../tools/define-tool.js';
import { configuredPasswords, inheritedSecrets } from '../tools/secret-values.js';
import type { Approve } from '../tools/tool-approval.js';
import { createToolService } from '../tools/tool-service.js';
import type { SecretRegistry } from '../values/secrets.js';
import { ConfiguredAgents } from './agent-service.js';
import { cacheDirectory } from './cache-directory.js';
import type { Configuration } from './configuration.js';
import { type AgentDefinition, compileAgent } from './define-agent.js';
import { planOfFile } from './load-plan.js';
import { type AddedWorkflows, ConfiguredWorkflows, type LoadPlan } from './workflow-service.js';

export interface ServiceOptions {
  configuration: Configuration;
  environment: Environment;
  secrets: SecretRegistry;
  /** Tools, agents, workflows and capabilities given in code. */
  tools?: Readonly<Record<string, DefinedTool>>;
  agents?: Readonly<Record<string, AgentDefinition>>;
  workflows?: AddedWorkflows;
  capabilities?: readonly Capability[];
  /** Reads workflows and agents. Default: from their files. */
  read?: ReadSource;
  /** Endpoint and key of the command line: they win over the configuration's. */
  override?: { base_url?: string; api_key?: string };
  recordDirectory?: string;
  replayDirectory?: string;
  /** Whether the response cache is used; default what `default.cache` says. */
  cache?: boolean;
  /** Asks for streamed replies. */
  streaming?: boolean;
  /** Says why a reply did or did not come from the cache. */
  explaining?: boolean;
  /** Asks a person before each tool call. */
  approve?: Approve;
  /** What each run may spend, instead of what workflows and the configuration say. */
  limits?: SpendingLimits;
  /** Told what MCP servers print to standard error. */
  onServerLog?: (server: string, line: string) => void;
}

/** The services of a configuration: what runs share, and what each run has for itself. */
export interface LaitServices {
  /**
   * Services for one run: child workflows are loaded once in it. Files among `pinned` are taken as they were then, by
   * canonical path.
   */
  forRun(pinned?: readonly SourceFile[]): Services;
  readonly agents: AgentService;
  readonly capabilities: CapabilityService;
  /** Shuts down what was started. */
  close(): Promise<void>;
}

/**
 * Builds the services from a configuration. Nothing is started or read yet; MCP servers, key commands and model clients
 * come to life when a step needs them. Throws a `DefinitionError` for entries of `tools:` that cannot work.
 */
export function buildServices(options: ServiceOptions): LaitServices {
  const { configuration, secrets } = options;
  const onSecret = (value: string) => secrets.add(value);
  const environment = { ...options.environment, onSecret };
  const { values } = configuration;
  for (const secret of inheritedSecrets(environment.variables)) onSecret(secret);
  for (const password of configuredPasswords(values, environment.variables)) onSecret(password);
  const { compaction, cache: cacheByDefault, cache_ttl, ...defaults } = values.default ?? {};
  const usesCache = options.cache ?? cacheByDefault ?? false;
  const models = createModelService({
    base_url: values.base_url,
    api_key: values.api_key,
    api_key_cmd: values.api_key_cmd,
    models: values.models,
    defaults,
    override: options.override,
    variables: environment.variables,
    secrets,
    recordDirectory: options.recordDirectory,
    replayDirectory: options.replayDirectory,
    streaming: options.streaming,
    explaining: options.explaining,
    ...(usesCache
      ? { cache: { directory: cacheDirectory(environment.variables), ttlSeconds: cache_ttl } }
      : {}),
  });
  const { read } = options;
  const agentOptions = { registered: values.agents ?? {}, given: compileAgents(options.agents ?? {}), read };
  const agents = new ConfiguredAgents(agentOptions);
  const tools = createToolService({
    environment,
    tools: values.tools,
    mcpServers: values.mcp_servers,
    skills: values.skills,
    subagents: agents.asSubagents(),
    codeTools: options.tools,
    policy: values.tool_policy,
    approve: options.approve,
    progressiveSkills: values.default?.skill_progressive_disclosure,
    maxResultBytes: values.max_tool_result_bytes,
    strict: values.strict_tools,
    compaction,
    onLog: options.onServerLog,
    onSecret,
  });
  const makeCapabilities = () =>
    new CapabilityRegistry({
      settings: values.capabilities,
      given: options.capabilities,
      environment,
      tools,
    });
  // Settings may be wrong; without any, what only graphs call is made when one asks.
  const capabilities =
    values.capabilities === undefined ? madeWhenAsked(makeCapabilities) : makeCapabilities();
  const shared = {
    models,
    tools,
    capabilities,
    decisions: createDecisionService({ ...values.jev, variables: environment.variables, secrets }),
    environment,
    limits: { given: options.limits, configured: values.limits },
  };
  const workflows = {
    workingDirectory: environment.workingDirectory,
    registered: values.workflows ?? {},
    added: options.workflows,
    loadPlan: loadPlanWith(read),
  };
  return {
    agents,
    capabilities,
    forRun: (pinned = []) => {
      if (pinned.length === 0) return { ...shared, agents, workflows: new ConfiguredWorkflows(workflows) };
      const read = readPinned(pinned);
      return {
        ...shared,
        agents: new ConfiguredAgents({ ...agentOptions, read }),
        workflows: new ConfiguredWorkflows({ ...workflows, loadPlan: loadPlanWith(read) }),
      };
    },
    close: () => tools.close(),
  };
}

function loadPlanWith(read: ReadSource | undefined): LoadPlan {
  return (path, load) => planOfFile(path, { ...load, read });
}

function madeWhenAsked(make: () => CapabilityService): CapabilityService {
  let made: CapabilityService | undefined;
  const service = () => {
    made ??= make();
    return made;
  };
  return { get: (key) => service().get(key), list: () => service().list() };
}

function compileAgents(definitions: Readonly<Record<string, AgentDefinition>>) {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, compileAgent(name, definition)]),
  );
}
