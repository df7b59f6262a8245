import { randomUUID } from 'node:crypto';
import { isLaitError } from '../../../../errors/lait-error.js';
import type { ChatMessage, ModelReply, ResolvedModel, Services } from '../../../../kinds/services.js';
import { embeddedJson } from '../../../../models/prompted-schema.js';
import { isObject, type JsonObject } from '../../../../values/value.js';
import { HttpProblem } from '../../../http/problem.js';
import { parseJson } from '../../../http/read-body.js';
import type { ServerContext } from '../../../server-context.js';
import { checkPackage, type DefinitionPackage, packageFormat } from '../definition-package.js';
import { graphLimitsOf } from '../graph-limits.js';
import { issueView } from '../graph-view.js';
import { DesignerProblem, notConfigured } from './designer-problem.js';
import { correctionPrompt, designerPrompt } from './designer-prompt.js';

/** What its model requests are counted under. */
const designerWorkflow = 'designer/compose';

/** How often a model may mend its graph. */
const mostCorrections = 2;

/** A draft that a model made of a requirement; nothing of it is stored. */
export interface ComposedGraph {
  /** The newest graph of the right shape; undefined when there was none. */
  definition?: DefinitionPackage;
  summary: string | null;
  assumptions: string[];
  /** Why it is no graph at all. */
  structuralErrors: JsonObject[];
  /** What is wrong with the graph, or should be looked at. */
  issues: JsonObject[];
}

/**
 * Lets the default model of the configuration draft a graph, and mend it while the checks find errors, two times at
 * most. Throws a `DesignerProblem`: 503 without a model, 502 when it does not answer.
 */
export async function composeGraph(
  requirement: string,
  server: ServerContext,
  signal: AbortSignal,
): Promise<ComposedGraph> {
  const { models, agents, capabilities } = server.services.forRun();
  const model = defaultModel(models);
  const prompt = designerPrompt(
    {
      capabilities: capabilities.list().filter(({ enabled }) => enabled),
      agents: agents.registeredNames(),
      limits: graphLimitsOf(server),
    },
    model.name,
  );
  const messages: ChatMessage[] = [
    { role: 'system', content: prompt },
    { role: 'user', content: requirement },
  ];
  const conversation = randomUUID();
  let composed: ComposedGraph | undefined;
  for (let round = 0; round <= mostCorrections; round += 1) {
    const startedAt = Date.now();
    const reply = await asked(models, model, messages, signal);
    server.usage.add(
      { run_id: conversation, definition: { form: 'graph', id: designerWorkflow } },
      {
        type: 'model.responded',
        address: designerWorkflow,
        label: designerWorkflow,
        model: model.name,
        responseModel: reply.model,
        round,
        source: reply.source,
        usage: reply.usage,
        startedAt,
        endedAt: Date.now(),
        reply: {},
      },
    );
    const read = await readDraft(reply.content ?? '', server);
    // A draft with flaws can be repaired by hand; one of the wrong shape cannot even be opened.
    if (read.definition !== undefined || composed?.definition === undefined) composed = read;
    const problems = [
      ...read.structuralErrors,
      ...read.issues.filter(({ severity }) => severity === 'error'),
    ];
    if (problems.length === 0) break;
    messages.push(
      { role: 'assistant', content: reply.content ?? '' },
      { role: 'user', content: correctionPrompt(problems) },
    );
  }
  return composed!;
}

function defaultModel(models: Services['models']): ResolvedModel {
  if (models.defaults.model === undefined) throw notConfigured('there is none');
  try {
    return models.resolve(models.defaults);
  } catch (error) {
    if (!isLaitError(error)) throw error;
    throw notConfigured(error.message, error);
  }
}

async function asked(
  models: Services['models'],
  model: ResolvedModel,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<ModelReply> {
  try {
    return await models.request({ model, messages: [...messages] }, { signal });
  } catch (error) {
    if (!isLaitError(error)) throw error;
    throw new DesignerProblem({
      status: 502,
      code: 'llm_provider_error',
      detail: `the model did not answer: ${error.message}`,
      cause: error,
    });
  }
}

/** Checks what a model has answered like any package and definition from outside. */
async function readDraft(text: string, server: ServerContext): Promise<ComposedGraph> {
  const none = { summary: null, assumptions: [], issues: [] };
  let value: unknown;
  let definition: DefinitionPackage;
  try {
    value = parseJson(embeddedJson(text));
    definition = checkPackage(packageValue(value), graphLimitsOf(server));
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { errors = [{ path: '', message: error.message }] } = error.document();
    const structuralErrors = errors.map(({ path, message }) => ({ code: 'structural_error', path, message }));
    return { ...none, structuralErrors };
  }
  const { summary, assumptions } = value as JsonObject;
  const { diagnostics } = await server.definitions.check({
    id: 'draft',
    form: 'graph',
    content: definition.graph,
  });
  return {
    definition,
    summary: typeof summary === 'string' ? summary : null,
    assumptions: Array.isArray(assumptions) ? assumptions.filter((one) => typeof one === 'string') : [],
    structuralErrors: [],
    issues: diagnostics.map(issueView),
  };
}

/** The package in an answer: what a model need not say is filled in, and what it says besides is left out. */
function packageValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { name, description = '', inputs_schema, nodes, edges } = value as JsonObject;
  return {
    format: packageFormat,
    version: 1,
    name,
    description,
    inputs_schema,
    nodes,
    edges: Array.isArray(edges)
      ? edges.map((edge, index) => (isObject(edge) ? { edge_id: `e${index + 1}`, ...edge } : edge))
      : edges,
  };
}
