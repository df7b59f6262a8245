import type { Services } from '../kinds/services.js';
import type { LocatedPlan } from '../plan/analysis/located-plan.js';
import type { Diagnostic } from '../plan/diagnostic.js';
import type { Plan } from '../plan/plan.js';
import type { SourceFile } from '../plan/source.js';
import type { JsonObject } from '../values/value.js';
import type { CallSignature } from './dynamic/catalog.js';
import type { LoadDynamicOptions } from './dynamic/load-workflow.js';

/** How large a graph may be. */
export interface GraphLimits {
  maxNodes?: number;
  maxEdges?: number;
}

/** What the files of the dynamic form are checked against, found out when the first one is read. */
export type DynamicFileOptions = () => Promise<Omit<LoadDynamicOptions, 'directory' | 'pinned'>>;

/** What graphs are held against. */
export interface GraphWorld extends Pick<Services, 'agents' | 'capabilities'> {
  /** Told of a name that is not there, when others may be registered elsewhere. Default: such a name is an error. */
  onUnknownName?: () => void;
}

/** What the readers of single forms are told. */
export interface FormOptions {
  /** Default: 30 nodes and 60 edges. */
  graphLimits?: GraphLimits;
  /** Default: names in definitions are looked up when a step needs them. */
  dynamic?: DynamicFileOptions;
  /** What graphs are checked against. Default: capabilities and agents are looked up when a node needs them. */
  graph?: () => Promise<GraphWorld>;
}

export interface ReadOptions extends FormOptions {
  /** Where relative paths in the file start from. */
  directory: string;
  /** It was accepted before: what it refers to is looked up when a step needs it. */
  pinned?: boolean;
}

/** A plan when there are no errors, and every problem. */
export interface ReadWorkflow {
  plan?: Plan;
  diagnostics: readonly Diagnostic[];
}

/** What lint says about one file, and where the parts of its plan stand when there are no errors. */
export interface LintedWorkflow {
  diagnostics: readonly Diagnostic[];
  located?: LocatedPlan;
}

/** A definition as it was handed over: the text of a file, or the object. */
export interface GivenDefinition {
  id: string;
  content: string | JsonObject;
}

/** What is registered where a definition shall be kept. */
export interface DefinitionWorld {
  /** Services for one check: agents, tools and capabilities by name. */
  services(): Services;
  graphLimits: GraphLimits;
  /** What the workflows that may be called take and give. */
  signatures: ReadonlyMap<string, CallSignature>;
}

/**
 * One form that workflows are written in: how it is told apart, read and checked, and what runs of it need. Code
 * outside of the form's directory asks here and never by the form's name.
 */
export interface Dialect {
  /** Top-level keys that only definitions of this form have all of. */
  keys: readonly string[];
  /** Reads, checks and lowers a file. */
  read(source: SourceFile, options: ReadOptions): Promise<ReadWorkflow>;
  /** Default: what `read` says. */
  lint?(source: SourceFile): Promise<LintedWorkflow>;
  /** Holds a definition against what is registered. Throws a `DefinitionError` when it cannot be read. */
  check?(definition: GivenDefinition, world: DefinitionWorld): Promise<readonly Diagnostic[]>;
  /** The definition's own `id` is the one it is called by. */
  namesItself?: true;
  /** Called with named inputs, never with a text alone. */
  takesNamedInputs?: true;
  /** A run has a request context, which its sender gives, and a state to begin with. */
  takesRequestContext?: true;
  /** Values may be dates relative to the run's own time, in its own time zone. */
  readsTime?: true;
  /** Runs can wait for people without being asked to. */
  waits?: true;
  /** Each node with an id has a row of its own in the run's log, also when it was never visited. */
  logsNodes?: true;
}
