import type { Configuration } from '../../config/configuration.js';
import { messageChain } from '../../errors/lait-error.js';
import type { ModelCandidate, ResolvedModel } from '../../kinds/services.js';
import { hasKey, type Provider, providerOf } from '../../models/providers.js';
import { resolveModel } from '../../models/resolve-model.js';
import type { CommandContext } from '../command-context.js';
import { modelOptions } from '../list-models.js';
import { remoteModels } from '../remote-models.js';
import type { Finding, Report } from './finding.js';

/**
 * Resolves the default model and every alias, and asks each server for its models: that shows reachability, the key,
 * and whether the model id exists there. What the default model lacks is NG, what only other aliases lack is WARN.
 */
export async function checkModels(
  configuration: Configuration,
  context: CommandContext,
  report: Report,
): Promise<void> {
  const { values } = configuration;
  const defaultModel = values.default?.model;
  if (defaultModel === undefined) {
    await report({
      status: 'warn',
      subject: 'default.model',
      message: 'no default model is set; every workflow or step must name one',
      hint: 'set default.model in lait.config.yml',
    });
  }
  const names = new Set([
    ...(defaultModel === undefined ? [] : [defaultModel]),
    ...Object.keys(values.models ?? {}),
  ]);
  for (const name of names) await checkModel(name, name === defaultModel, configuration, context, report);
}

async function checkModel(
  name: string,
  isDefault: boolean,
  configuration: Configuration,
  context: CommandContext,
  report: Report,
): Promise<void> {
  const failed: Finding['status'] = isDefault ? 'ng' : 'warn';
  const subject = `models.${name}`;
  const options = modelOptions(configuration, context, await context.variables());
  let model: ResolvedModel;
  try {
    model = resolveModel({ model: name }, undefined, options);
  } catch (error) {
    await report({ status: failed, subject, message: messageChain(error) });
    return;
  }
  for (const [index, candidate] of model.candidates.entries()) {
    const status = index === 0 ? failed : 'warn';
    try {
      const { ids, owners } = await remoteModels(candidate, options, context.signal);
      await report(found(subject, candidate, ids, providerOf(candidate.baseUrl, owners)));
    } catch (error) {
      context.signal.throwIfAborted();
      const hint = hintFor(error, candidate);
      await report({
        status,
        subject,
        message: messageChain(error),
        ...(hint === undefined ? {} : { hint }),
      });
    }
    await reportLacks(subject, candidate, configuration, report);
  }
}

/** What the provider of an entry needs and the entry does not say, whether it answered or not. */
async function reportLacks(
  subject: string,
  { baseUrl, entry }: ModelCandidate,
  { values }: Configuration,
  report: Report,
): Promise<void> {
  const provider = URL.canParse(baseUrl) ? providerOf(baseUrl) : undefined;
  if (provider === undefined) return;
  const hasAnyKey = hasKey(entry) || values.api_key !== undefined || values.api_key_cmd !== undefined;
  const lacks = [...provider.lacks(entry, new URL(baseUrl))];
  if (provider.needsKey === true && !hasAnyKey) {
    lacks.push({ message: 'it needs a key', hint: 'set provider.api_key or provider.api_key_cmd' });
  }
  for (const { message, hint } of lacks) {
    await report({ status: 'warn', subject, message: `${provider.name}: ${message}`, hint });
  }
}

/** A server that lists nothing may still answer; one that lists other ids may know aliases of its own. */
function found(
  subject: string,
  { modelId, baseUrl }: ModelCandidate,
  ids: readonly string[],
  provider: Provider | undefined,
): Finding {
  const server = provider === undefined ? baseUrl : `${baseUrl} (${provider.name})`;
  const isListed = ids.some((id) => id === modelId || id === `models/${modelId}`);
  if (ids.length === 0 || isListed || provider?.listsOtherIds === true) {
    return { status: 'ok', subject, message: `${server} answers${isListed ? ` and has ${modelId}` : ''}` };
  }
  return {
    status: 'warn',
    subject,
    message: `${server} answers but does not list ${modelId}`,
    hint: `it has ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}; \`lait models --remote\` shows all`,
  };
}

function hintFor(error: unknown, { baseUrl }: ModelCandidate): string | undefined {
  const { code, details } = error as { code?: string; details?: { status?: number } };
  if (code === 'server_unreachable') return `start the server, or correct base_url (${baseUrl})`;
  if (details?.status === 401 || details?.status === 403)
    return 'the key is missing or not accepted: look at api_key';
  if (details?.status === 404) return 'base_url usually ends in /v1';
  return undefined;
}
