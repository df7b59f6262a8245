import type {
  AgentService,
  CapabilityService,
  Environment,
  RegisteredTool,
  Services,
} from '../kinds/services.js';
import { createModelService } from '../models/model-service.js';
import type { AgentPlan } from '../plan/agent.js';
import type { Plan } from '../plan/plan.js';
import type { Approve } from '../tools/tool-approval.js';
import type { SecretRegistry } from '../values/secrets.js';
import type { Configuration } from './configuration.js';
import { ConfiguredWorkflows, type LoadPlan } from './workflow-service.js';

export interface ServiceOptions {
  configuration: Configuration;
  environment: Environment;
  secrets: SecretRegistry;
  loadPlan: LoadPlan;
  /** Tools, agents, workflows and capabilities given in code, before those of the configuration. */
  tools?: readonly RegisteredTool[];
  agents?: Readonly<Record<string, AgentPlan>>;
  workflows?: ReadonlyMap<string, Plan>;
  capabilities?: CapabilityService;
  recordDirectory?: string;
  replayDirectory?: string;
  /** Whether the response cache is used; default what `default.cache` says. */
  cache?: boolean;
  /** Asks for streamed replies. */
  streaming?: boolean;
  /** Asks a person before each tool call. */
  approve?: Approve;
}
