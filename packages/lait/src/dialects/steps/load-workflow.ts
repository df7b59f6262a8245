import path from 'node:path';
import { UsageError } from '../../errors/errors.js';
import type { Expression } from '../../expressions/expression.js';
import { kinds as allKinds } from '../../kinds/index.js';
import type { Kinds } from '../../kinds/kind.js';
import type { AgentPlan } from '../../plan/agent.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { ExpressionOrigins } from '../../plan/expression-origins.js';
import { acceptInputs, type InputDeclarations } from '../../plan/inputs.js';
import { modelKeyProblems } from '../../plan/key-problems.js';
import type { Block, PlacementRestriction, Plan, PlanCall, PlanStart } from '../../plan/plan.js';
import { Problems } from '../../plan/problems.js';
import type { DefaultSettings, PlanSettings } from '../../plan/settings.js';
import type { SourceFile } from '../../plan/source.js';
import type { SpendingLimits } from '../../plan/spending-limits.js';
import { readYaml } from '../../plan/yaml/read-yaml.js';
import { describe, type MapNode, type SourceNode } from '../../plan/yaml/source-node.js';
import { type JsonObject, setOwnProperty } from '../../values/value.js';
import { checkVersion } from './check-version.js';
import { agentPlan } from './compile-agent.js';
import { FieldCompiler } from './compile-fields.js';
import { StepsCompiler } from './compile-steps.js';
import { declareInputs } from './declare-inputs.js';
import { NamedSchemas } from './named-schemas.js';
import { checkPlacement } from './placement.js';
import { retryPolicy } from './retry-policy.js';
import { successorOf } from './version-1.js';
import { workflowFields } from './workflow-fields.js';

export interface LoadOptions {
  /** Where relative paths in the file start from. Default: the directory of the file. */
  directory?: string;
  /** Tells workflows apart when calls are followed. Default: the absolute path of the file. */
  origin?: string;
  /** Default: every kind there is. */
  kinds?: Kinds;
}

/** A workflow file after reading: a plan when nothing is wrong, and everything that lint needs. */
export interface LoadedSteps {
  /** Absent when there are errors. */
  plan?: Plan;
  /** With errors: the steps that could be read, for whoever looks for more of them. It must not be run. */
  readable?: Plan;
  /** Errors and warnings in the order of the source. */
  diagnostics: Diagnostic[];
  origins: ExpressionOrigins;
  schemas: NamedSchemas;
  root?: MapNode;
}

/** Reads, checks and lowers a workflow of the steps form (version 2). Source: steps seed. */
export function loadStepsWorkflow(source: SourceFile, options: LoadOptions = {}): LoadedSteps {
  const problems = new Problems(source);
  const root = readYaml(problems, source.text, 'a workflow holds at least `steps:` with one step');
  const origin = path.resolve(source.file);
  return lower(root, problems, { directory: path.dirname(origin), origin, ...options });
}

function lower(root: SourceNode | undefined, problems: Problems, options: LoadOptions): LoadedSteps {
  const origins = new ExpressionOrigins();
  const schemas = new NamedSchemas();
  const failed = (): LoadedSteps => ({ diagnostics: problems.list(), origins, schemas });
  if (root === undefined) return failed();
  if (root.type !== 'map') {
    const message = `a workflow file must be a mapping with steps:, not ${describe(root)}`;
    problems.add({ code: 'wrong_type', message, range: root.range });
    return failed();
  }
  if (!checkVersion(root, problems)) return failed();
  const steps = new StepsCompiler(options.kinds ?? allKinds, () => compiler);
  const compiler = new FieldCompiler({
    problems,
    origins,
    directory: options.directory,
    schema: (name) => schemas.get(name),
    schemaNames: () => schemas.names(),
    block: (node, at) => steps.block(node, at),
  });
  schemas.compile(root.entries.get('schemas')?.value, compiler);
  const schemasAreMap = root.entries.get('schemas')?.value.type === 'map';
  const fields = compiler.table(
    root,
    workflowFields,
    { field: '', block: '' },
    {
      what: 'a workflow file',
      given: { version: 2, ...(schemasAreMap && { schemas: {} }) },
      unknown: successorOf,
    },
  )!;
  if (fields.models !== undefined) {
    const models = root.entries.get('models')!.value;
    compiler.addAll(modelKeyProblems(fields.models as JsonObject), models, { field: 'models', block: '' });
  }
  const inputs =
    fields.inputs === undefined
      ? undefined
      : declareInputs(fields.inputs as Record<string, unknown>, root.entries.get('inputs')!.value, compiler);
  const body = fields.steps as Block | undefined;
  const headErrors = problems.errors - steps.errors;
  const restrictions = body === undefined ? [] : checkPlacement(body, steps.records, problems);
  const loaded: LoadedSteps = { diagnostics: problems.list(), origins, schemas, root };
  if (body === undefined) return loaded;
  const planWith = (head: Head) => planOf(head, body, restrictions, problems.source, options);
  if (problems.errors === 0) return { ...loaded, plan: planWith({ fields, inputs }) };
  steps.leaveOutUnsound();
  if (headErrors === 0) return { ...loaded, readable: planWith({ fields, inputs }) };
  const declared = root.entries.get('inputs')?.value;
  // Without their names every input would be told as one that is not declared.
  if (declared !== undefined && declared.type !== 'map') return loaded;
  return { ...loaded, readable: planWith({ fields: {}, inputs: namesOf(declared) }) };
}

/** What a file says beside its steps. */
interface Head {
  fields: Readonly<Record<string, unknown>>;
  inputs: InputDeclarations | undefined;
}

function planOf(
  { fields, inputs }: Head,
  body: Block,
  restrictions: readonly PlacementRestriction[],
  source: SourceFile,
  { origin = source.file, directory }: LoadOptions,
): Plan {
  const plan: Plan = {
    form: 'steps',
    id: source.file,
    origin,
    directory,
    sources: [source],
    accept: acceptor(inputs),
    body,
    settings: settingsOf(fields),
  };
  if (inputs !== undefined) plan.inputs = inputs;
  if (fields.name !== undefined) plan.name = fields.name as string;
  if (fields.description !== undefined) plan.description = fields.description as string;
  if (fields.output !== undefined) plan.output = fields.output as Expression;
  if (fields.timeout !== undefined) plan.timeoutSeconds = fields.timeout as number;
  if (fields.limits !== undefined) plan.limits = fields.limits as SpendingLimits;
  if (restrictions.length > 0) plan.restrictions = restrictions;
  return plan;
}

/** Inputs of which no more than the names can be relied on. */
function namesOf(inputs: MapNode | undefined): InputDeclarations {
  const names = inputs === undefined ? [] : [...inputs.entries.keys()];
  return Object.fromEntries(names.map((name) => [name, { schema: {}, required: false }]));
}

/** Made here, because a function holds all that is named around it: there it would be the whole reader. */
function acceptor(declarations: InputDeclarations | undefined): Plan['accept'] {
  return (call) => accept(declarations, call);
}

/** PROMPT is needed unless inputs are declared; then the first value is null without it. Source: steps seed, 値の流れ. */
function accept(declarations: InputDeclarations | undefined, call: PlanCall): PlanStart {
  if (call.value === undefined && declarations === undefined) {
    throw new UsageError({
      code: 'prompt_required',
      message:
        'the workflow needs a prompt: give PROMPT or standard input, over HTTP or in a program `input` (only a workflow that declares inputs: runs without)',
    });
  }
  return {
    value: call.value ?? null,
    inputs: acceptInputs(declarations ?? {}, call.inputs),
    state: call.state ?? {},
    context: call.context ?? {},
  };
}

function settingsOf(fields: Readonly<Record<string, unknown>>): PlanSettings {
  const { retry, timeout, ...defaults } = (fields.default ?? {}) as Record<string, unknown>;
  const agents: Record<string, AgentPlan> = {};
  for (const [name, entry] of Object.entries(
    (fields.agents ?? {}) as Record<string, Record<string, unknown>>,
  )) {
    setOwnProperty(agents, name, { name, ...agentPlan(entry, entry.system as Expression<string>) });
  }
  return {
    defaults: {
      ...(defaults as DefaultSettings),
      ...(retry !== undefined && { retry: retryPolicy(retry) }),
      ...(timeout !== undefined && { timeoutSeconds: timeout as number }),
    },
    models: (fields.models ?? {}) as PlanSettings['models'],
    agents,
  };
}
