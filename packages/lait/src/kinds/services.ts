import type { RunEvent, Usage } from '../engine/events.js';
import type { Question } from '../engine/question.js';
import type { AgentPlan } from '../plan/agent.js';
import type { Plan } from '../plan/plan.js';
import type { ModelEntry, ModelSettings, ToolSelection } from '../plan/settings.js';
import type { SpendingLimits } from '../plan/spending-limits.js';
import type { StripResult } from '../schema/strip.js';
import type { JsonObject, JsonValue, Value } from '../values/value.js';

/** What kinds are handed to reach the world. Built by the library from the configuration; every part is a port. */
export interface Services {
  readonly models: ModelService;
  readonly tools: ToolService;
  readonly agents: AgentService;
  readonly workflows: WorkflowService;
  readonly decisions: DecisionService;
  readonly capabilities: CapabilityService;
  readonly environment: Environment;
  /** What runs may spend, beside what their plans say: `given` replaces all else, item by item. */
  readonly limits?: { given?: SpendingLimits; configured?: SpendingLimits };
}

export interface Environment {
  /** Variables that `${VAR}` and inherited processes see. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Where files, outputs and programs are looked up. */
  workingDirectory: string;
  /** Told of secrets before they are used, so that they are masked wherever they turn up. */
  onSecret?: (value: string) => void;
}

// ------------------------------------------------------------------ models

/** A model name resolved to the endpoints that may answer, the preferred one first. */
export interface ResolvedModel {
  /** The alias or raw id that was asked for. */
  name: string;
  candidates: readonly ModelCandidate[];
  reasoning_effort?: string;
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
}

export interface ModelCandidate {
  modelId: string;
  baseUrl: string;
  /** The entry it came from; key and headers are read from it just before the first request. */
  entry: ModelEntry;
}

export type ChatContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } };

export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ChatContentPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface ToolDefinition {
  type: 'function';
  function: { name: string; description?: string; parameters: JsonObject };
}

export interface ModelRequest {
  model: ResolvedModel;
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** Structured output: sent as `json_schema`, `strict: true`, the schema unchanged. */
  responseFormat?: { name: string; schema: JsonObject };
}

export interface ModelReply {
  content: string | null;
  reasoning: string | null;
  toolCalls: readonly ToolCall[];
  finishReason: string | null;
  usage: Usage | null;
  /** The model id that answered. */
  model: string;
  source: 'live' | 'cache' | 'replay';
}

export interface ModelCallOptions {
  signal: AbortSignal;
  /** Asks for a streamed reply and receives its pieces. */
  onToken?: (text: string, reasoning: boolean) => void;
  onWarning?: (message: string) => void;
  /** Why the reply did or did not come from the response cache. */
  onExplain?: (reason: string) => void;
}

export interface ModelService {
  /** Resolves without touching the network or a key command. Throws a `DefinitionError` (code `model_unresolved`). */
  resolve(settings: ModelSettings, aliases?: Readonly<Record<string, readonly ModelEntry[]>>): ResolvedModel;
  /** Sends one request: fallback to the next candidate, rate limits, recording and replay are in here. */
  request(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>;
  /** Defaults of the configuration's `default:` (model, sampling, tools). */
  readonly defaults: ModelSettings & ToolSelection;
  /** True while replies come from recordings: `decide` refuses to run and no key command is executed. */
  readonly replaying: boolean;
  /** True when replies are asked for in pieces, because somebody watches them come. */
  readonly streaming: boolean;
  /** True when the reasons of cache hits and misses are wanted. */
  readonly explaining: boolean;
}

// ------------------------------------------------------------------- tools

export interface ToolCallContext {
  signal: AbortSignal;
  idempotencyKey: string;
  runId: string;
  resume?: JsonValue;
  state?: JsonObject;
  requestContext?: Readonly<Record<string, JsonValue>>;
  emit?: (event: RunEvent) => void;
}

/** What a tool gave to the model. `isError` is told to the model, it does not fail the step. */
export interface ToolResult {
  text: string;
  isError: boolean;
}

/** A tool as the model sees it. */
export interface ModelTool {
  definition: ToolDefinition;
  /** What runs, for approval: the real argv of a shell tool. */
  preview?(arguments_: JsonObject): readonly string[] | undefined;
  /** A subagent is run by the engine as a conversation of its own instead of being called. */
  subagent?: string;
  call(arguments_: JsonObject, context: ToolCallContext): Promise<ToolResult>;
}

/** The tools of one step, opened for one run; servers are shared within the run. */
export interface Toolset {
  /** In wire order: MCP, subagents, shell tools, skills. Source: facts §12. */
  tools: readonly ModelTool[];
  /** What skills add behind the system prompt; empty without skills. */
  systemSuffix: string;
}

/** A tool that workflows call directly: the dynamic form's `tool` entries and the graph form's capabilities. */
export interface RegisteredTool {
  id: string;
  description?: string;
  inputSchema?: JsonObject;
  outputSchema?: JsonObject;
  /** `suspend` asks a question; the tool runs again with `context.resume` after the answer. */
  execute(input: Value, context: DirectToolContext): Promise<Value>;
  /** True when repeating a call with the same idempotency key does no harm. Default false. */
  idempotent?: boolean;
  /** What it calls itself, when that is not the key it is registered under. */
  ownId?: string;
  /** `execute` taken apart, for callers that tell wrong input, failure and wrong output from each other. */
  parts?: ToolParts;
}

/** A tool's own checks, e.g. by the schema library of its author, and the work between them. */
export interface ToolParts {
  parseInput(value: Value): StripResult | Promise<StripResult>;
  run(input: Value, context: DirectToolContext): unknown;
  parseOutput(value: Value): StripResult | Promise<StripResult>;
}

export interface DirectToolContext extends ToolCallContext {
  state: JsonObject;
  setState(state: JsonObject): void;
  suspend(payload?: JsonValue): Promise<never>;
}

export interface ToolService {
  /** Opens the selected tools; MCP servers start here, lazily. */
  open(selection: ToolSelection, options: { signal: AbortSignal }): Promise<Toolset>;
  /** A tool by registration key: given in code, `tools:` of the configuration, or `<mcp server>__<tool>`. */
  registered(key: string): RegisteredTool | undefined;
  registeredKeys(): readonly string[];
  /** `tool_policy` and `--approve-tools`, asked one by one before a batch runs. */
  decide(
    tool: ModelTool,
    arguments_: JsonObject,
    options: { signal: AbortSignal },
  ): Promise<'allowed' | 'denied' | 'approved' | 'rejected'>;
  /** Longest text of one tool result that reaches the model, in bytes. Default 262,144. */
  readonly maxResultBytes: number;
  readonly strict: boolean;
  /** Summarise the tool history every `trigger_rounds` rounds but its last `keep_last_n` messages. */
  readonly compaction?: { trigger_rounds: number; keep_last_n: number };
  /** Shuts every server and its process tree down. */
  close(): Promise<void>;
}

// ------------------------------------------------- agents, workflows, others

export interface AgentService {
  /** Reads an agent file, relative to `directory`. */
  file(path: string, directory: string, options: { signal: AbortSignal }): Promise<AgentPlan>;
  /** An agent registered in the configuration or in code. */
  registered(name: string, options: { signal: AbortSignal }): Promise<AgentPlan | undefined>;
  registeredNames(): readonly string[];
}

export interface WorkflowService {
  /**
   * Loads a child: a path (holding `/`, or ending in .yml, .yaml or .json) relative to `directory`, else a
   * registered name of any form. Loaded once per run. `callers` are the origins of the plans that are running above:
   * a cycle and a nesting deeper than 32 are refused before anything is opened.
   */
  load(
    reference: string,
    directory: string | undefined,
    options: { signal: AbortSignal; callers: readonly string[] },
  ): Promise<Plan>;
}

export interface DecisionService {
  /**
   * Sends `state` and typed questions to the decision server; answers in question order, checked. `reply` is all that
   * the server sent. Facts §10.
   */
  decide(
    request: { state: JsonValue; questions: JsonObject; model?: string },
    options: { signal: AbortSignal; idempotencyKey?: string },
  ): Promise<{ answers: JsonObject; usage: JsonValue; reply: JsonObject }>;
}

/** What happened to a capability call. Source: graph facts §10. */
export interface CapabilityResult {
  status: 'succeeded' | 'failed' | 'cancelled' | 'needs_attention';
  output?: JsonValue;
  effects?: readonly string[];
  error?: string;
  /** Known outcome of a call that was cancelled under way. */
  certainty?: 'completed' | 'unknown';
}

export interface CapabilityContext {
  runId: string;
  workflowId: string;
  nodeId: string;
  activationId: string;
  attempt: number;
  retryCount: number;
  loopContext?: { loop_node_id: string; iteration: number };
  target?: JsonValue;
  signal: AbortSignal;
}

export interface Capability {
  key: string;
  label?: string;
  description?: string;
  enabled: boolean;
  approval_policy: 'auto' | 'plan_required';
  read_only?: boolean;
  idempotent?: boolean;
  effects: readonly string[];
  input_schema?: JsonObject;
  output_schema?: JsonObject;
  target_schema?: JsonObject;
  strict_allowed?: boolean;
  contract?: string;
  /** Asks a person instead of being called; the answer's text is the output. */
  question?(inputs: JsonObject): Question;
  /** Runs a workflow instead of being called: a path or a registered name, and its inputs. */
  workflow?(inputs: JsonObject): { reference: string; inputs: JsonObject };
  execute(inputs: JsonObject, context: CapabilityContext): Promise<CapabilityResult>;
}

export interface CapabilityService {
  get(key: string): Capability | undefined;
  list(): readonly Capability[];
}
