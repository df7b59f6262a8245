import { LaitError } from '../errors/lait-error.js';
import type {
  ModelCallOptions,
  ModelReply,
  ModelRequest,
  ModelService,
  ResolvedModel,
} from '../kinds/services.js';
import type { ModelEntry, ModelSettings, ToolSelection } from '../plan/settings.js';
import { inOnePiece } from './ask-server.js';
import { Cassettes } from './cassettes.js';
import { LiveRequests } from './live-requests.js';
import type { ModelServiceOptions } from './model-options.js';
import type { RawReply } from './read-completion.js';
import { describeRequest, requestKey } from './request-key.js';
import { resolveModel } from './resolve-model.js';
import { ResponseCache } from './response-cache.js';

/**
 * Makes the service through which every model is called: resolution, fallback, repetition, rate limits, recording,
 * replay and caching. Nothing is read or started before the first request. Throws when recording and replay are both
 * asked for (code `usage`). Source: facts §3, §4 and §18.
 */
export function createModelService(options: ModelServiceOptions): ModelService {
  return new ConfiguredModelService(options);
}

class ConfiguredModelService implements ModelService {
  readonly defaults: ModelSettings & ToolSelection;
  readonly replaying: boolean;
  readonly streaming: boolean;
  readonly explaining: boolean;
  readonly #options: ModelServiceOptions;
  /** Made with the first request: most programs that start make none. */
  #live: LiveRequests | undefined;
  readonly #recordings: Cassettes | undefined;
  readonly #cache: ResponseCache | undefined;

  constructor(options: ModelServiceOptions) {
    const { recordDirectory, replayDirectory, cache } = options;
    if (recordDirectory !== undefined && replayDirectory !== undefined) {
      throw new LaitError({
        code: 'usage',
        category: 'usage',
        message: 'recording and replay exclude each other',
      });
    }
    this.#options = options;
    const directory = recordDirectory ?? replayDirectory;
    this.#recordings = directory === undefined ? undefined : new Cassettes(directory);
    this.#cache = cache === undefined || directory !== undefined ? undefined : new ResponseCache(cache);
    this.defaults = options.defaults ?? {};
    this.replaying = replayDirectory !== undefined;
    this.streaming = options.streaming ?? false;
    this.explaining = options.explaining ?? false;
  }

  resolve(settings: ModelSettings, aliases?: Readonly<Record<string, readonly ModelEntry[]>>): ResolvedModel {
    return resolveModel(settings, aliases, this.#options);
  }

  async request(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply> {
    if (this.#recordings === undefined && this.#cache === undefined) return this.#ask(request, options);
    const description = describeRequest(request);
    const key = requestKey(description);
    if (this.replaying) {
      const reply = await this.#recordings!.read(key, description, options.signal);
      return inOnePiece({ ...reply, source: 'replay' as const }, options.onToken);
    }
    if (this.#cache !== undefined) {
      const { reply, reason } = await this.#cache.read(key, description, options.onExplain !== undefined);
      options.onExplain?.(reason);
      if (reply !== undefined) return inOnePiece({ ...reply, source: 'cache' as const }, options.onToken);
    }
    const reply = await this.#ask(request, options);
    await this.#keep(key, description, reply, options);
    return reply;
  }

  async #ask(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply> {
    this.#live ??= new LiveRequests(this.#options);
    return { ...(await this.#live.send(request, options)), source: 'live' };
  }

  async #keep(
    key: string,
    description: ReturnType<typeof describeRequest>,
    reply: RawReply,
    options: ModelCallOptions,
  ) {
    const { secrets } = this.#options;
    const masked = await this.#recordings?.write(key, description, reply, secrets);
    if (masked === true) {
      options.onWarning?.(
        'the recorded reply held a known secret, which is masked in the recording: its replay will differ',
      );
    }
    try {
      await this.#cache?.write(key, description, reply, secrets);
    } catch (error) {
      // The answer is there; a full disk must not take it away.
      options.onWarning?.(`the reply could not be cached: ${(error as Error).message}`);
    }
  }
}
