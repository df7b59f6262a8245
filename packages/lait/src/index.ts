/// <reference lib="esnext.disposable" preserve="true" />
/** The public face of the library: what is not exported here may change without notice. */

export type { CapabilitySettings } from './capabilities/capability-settings.js';
export { type CapabilityOptions, defineCapability } from './capabilities/define-capability.js';
export type {
  Configuration,
  ConfigurationDefaults,
  ConfigurationValues,
  DecisionSettings,
} from './config/configuration.js';
export type { AgentDefinition } from './config/define-agent.js';
export { createLait } from './create-lait.js';
export type { DynamicEntry, DynamicWorkflowDefinition } from './dialects/dynamic/definition.js';
export type { DefinitionStore, StoredDefinition } from './dialects/dynamic/definition-store.js';
export type {
  DynamicRun,
  DynamicRunResult,
  DynamicRunStream,
  ResumeOptions,
  StartOptions,
} from './dialects/dynamic/dynamic-run.js';
export type { DynamicWorkflow, SkippedDefinition } from './dialects/dynamic/dynamic-workflows.js';
export { DynamicWorkflowError, type Issue as DynamicIssue } from './dialects/dynamic/issue.js';
export type { Classifier } from './dialects/dynamic/lower.js';
export type { StepRecord, StepRecords } from './dialects/dynamic/step-records.js';
export type { StreamEvent } from './dialects/dynamic/stream-events.js';
export type { GraphIssue, GraphReport } from './dialects/graph/index.js';
export type { FailureRecord, RunEvent, RunEventType, StepFields, Usage } from './engine/events.js';
export type { Question } from './engine/question.js';
export type { Answerer, OpenQuestion } from './engine/runtimes/memory.js';
export {
  CancelledError,
  DefinitionError,
  ModelError,
  StepError,
  TimeoutError,
  UsageError,
} from './errors/errors.js';
export {
  type ErrorCategory,
  type ErrorDisposition,
  isLaitError,
  LaitError,
  messageChain,
} from './errors/lait-error.js';
export type { Outcome } from './kinds/kind.js';
export type {
  Capability,
  CapabilityContext,
  CapabilityResult,
  CapabilityService,
  DirectToolContext,
} from './kinds/services.js';
export type { Lait, LaitOptions, LoadOptions } from './lait.js';
export { ProgressLines } from './observe/progress-lines.js';
export type { UsageJson } from './observe/usage-report.js';
export type { Diagnostic, Severity } from './plan/diagnostic.js';
export { formatDiagnostics } from './plan/format-diagnostics.js';
export type { InputDeclaration, InputDeclarations } from './plan/inputs.js';
export type { Form, Plan } from './plan/plan.js';
export type { ModelEntry, ModelSettings, ToolSelection } from './plan/settings.js';
export type { SourceFile, SourcePosition } from './plan/source.js';
export { MemoryRunStore } from './runs/memory-run-store.js';
export type { CreateRunOptions } from './runs/new-run.js';
export type { NodeRow, NodeStatus } from './runs/node-rows.js';
export { type OpenRunStoreOptions, openRunStore } from './runs/open-run-store.js';
export type { RunController, RunView } from './runs/run-controller.js';
export type { AttentionChoice } from './runs/run-questions.js';
export type { NewRunEvent, RunLogEvent, RunQuestion, RunRecord } from './runs/run-record.js';
export type { RunStatus } from './runs/run-status.js';
export type { RunChange, RunFilter, RunStore } from './runs/run-store.js';
export { type DefinedTool, defineTool, type ToolOptions, type ToolSchema } from './tools/define-tool.js';
export type { McpServerSettings } from './tools/mcp/mcp-server-settings.js';
export type { ShellToolSettings } from './tools/shell-tool-settings.js';
export type { JsonObject, JsonValue, Value } from './values/value.js';
export type { Workflow, WorkflowResult, WorkflowRunOptions } from './workflow.js';
