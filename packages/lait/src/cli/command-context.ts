import type { Configuration } from '../config/configuration.js';
import { loadEnvironment, type Variables } from '../config/environment.js';
import type { SecretRegistry } from '../values/secrets.js';
import type { GlobalOptions } from './global-options.js';
import type { Output } from './output.js';

/** What a command is handed: its streams, the way to stop it, and what the global options ask for. */
export class CommandContext {
  #variables: Promise<Variables> | undefined;
  #configuration: Promise<Configuration> | undefined;
  #trusted: Promise<void> | undefined;

  constructor(
    readonly output: Output,
    /** Aborted by Ctrl-C. */
    readonly signal: AbortSignal,
    readonly secrets: SecretRegistry,
    readonly options: GlobalOptions,
    readonly workingDirectory: string = process.cwd(),
    readonly inherited: Variables = process.env,
  ) {}

  /** The environment with what `.env` adds. */
  variables(): Promise<Variables> {
    this.#variables ??= loadEnvironment({
      workingDirectory: this.workingDirectory,
      inherited: this.inherited,
      dotenv: this.options.dotenv,
      signal: this.signal,
    });
    return this.#variables;
  }

  /** The configuration that `--config`, `--no-config` or the search gives. */
  configuration(): Promise<Configuration> {
    this.#configuration ??= this.#loadConfiguration();
    return this.#configuration;
  }

  /** The same, once it is sure that what it executes is wanted: for everything that runs something. */
  async trustedConfiguration(): Promise<Configuration> {
    const configuration = await this.configuration();
    this.#trusted ??= import('./trust/require-trust.js').then(({ requireTrust }) =>
      requireTrust(configuration, this),
    );
    await this.#trusted;
    return configuration;
  }

  async #loadConfiguration(): Promise<Configuration> {
    const { loadConfiguration } = await import('../config/load-configuration.js');
    return loadConfiguration({
      workingDirectory: this.workingDirectory,
      // What a `.env` file of the project says must not choose the user's own file.
      variables: this.inherited,
      file: this.options.config,
      signal: this.signal,
    });
  }

  /** A line that only `-v` (level 1) or `-vv` (level 2) shows. */
  log(level: 1 | 2, text: string): void {
    if (this.options.verbosity >= level) this.output.line(text);
  }
}
