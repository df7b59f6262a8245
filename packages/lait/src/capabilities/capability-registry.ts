import type { Capability, CapabilityService, Environment, ToolService } from '../kinds/services.js';
import { fileRead } from './built-in/file-read.js';
import { fileWrite } from './built-in/file-write.js';
import { hitlWait } from './built-in/hitl-wait.js';
import { httpRequest } from './built-in/http-request.js';
import { runWorkflow } from './built-in/run-workflow.js';
import type { CapabilitySettings } from './capability-settings.js';
import { configuredCapability } from './configured-capability.js';

export interface CapabilityRegistryOptions {
  /** `capabilities:` of the configuration. */
  settings?: Readonly<Record<string, CapabilitySettings>>;
  /** Given in code; they come before the configured and the built-in ones. */
  given?: readonly Capability[];
  environment: Environment;
  tools: Pick<ToolService, 'registered'>;
}

/** The built-in capabilities by every name they have. `vault_…` are the names of the seed's examples. */
const builtIns: Readonly<
  Record<string, (key: string, settings: CapabilitySettings, environment: Environment) => Capability>
> = {
  hitl_wait: hitlWait,
  file_read: fileRead,
  file_write: fileWrite,
  vault_read_file: fileRead,
  vault_write_file: fileWrite,
  http_request: httpRequest,
  run_workflow: runWorkflow,
};

/** Whose settings also hold for a capability: the other name of the same one, then the one that shares its root. */
const settingsOf: Readonly<Record<string, readonly string[]>> = {
  file_read: ['vault_read_file'],
  file_write: ['vault_write_file'],
  vault_read_file: ['file_read'],
  vault_write_file: ['file_write'],
};
const fileCapabilities = Object.keys(settingsOf);

/**
 * The capabilities that graphs may call: given in code, configured, and built in. Throws a `DefinitionError` for an
 * entry that is backed by nothing or by several things. Source: graph facts §10.
 */
export class CapabilityRegistry implements CapabilityService {
  readonly #capabilities = new Map<string, Capability>();

  constructor({ settings = {}, given = [], environment, tools }: CapabilityRegistryOptions) {
    // One root is enough for all file capabilities.
    const root = fileCapabilities
      .map((key) => ownEntry(settings, key).root)
      .find((found) => found !== undefined);
    for (const [key, make] of Object.entries(builtIns)) {
      const entries = [key, ...(settingsOf[key] ?? [])].map((name) => ownEntry(settings, name));
      const shared: CapabilitySettings = fileCapabilities.includes(key) && root !== undefined ? { root } : {};
      this.#capabilities.set(key, make(key, Object.assign(shared, ...entries.reverse()), environment));
    }
    for (const [key, entry] of Object.entries(settings)) {
      if (!Object.hasOwn(builtIns, key))
        this.#capabilities.set(key, configuredCapability(key, entry, { environment, tools }));
    }
    for (const capability of given) this.#capabilities.set(capability.key, capability);
  }

  get(key: string): Capability | undefined {
    return this.#capabilities.get(key);
  }

  list(): readonly Capability[] {
    return [...this.#capabilities.values()];
  }
}

function ownEntry(settings: Readonly<Record<string, CapabilitySettings>>, key: string): CapabilitySettings {
  return Object.hasOwn(settings, key) ? settings[key]! : {};
}
