import { type ApiPost, type ApiResponse, postTo } from '../network/post-to.js';
import type { Credentials } from './credentials.js';

const ownHeaders = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'lait' };

/** Where requests to a model go, with everything that is the same for all of them. */
export class Endpoint {
  readonly keyWithheld: boolean;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #posts = new Map<string, ApiPost>();

  /** `variables`: where the proxies are named. */
  constructor(
    readonly baseUrl: string,
    private readonly credentials: Credentials,
    private readonly variables: Readonly<Record<string, string | undefined>>,
  ) {
    this.keyWithheld = credentials.keyWithheld;
    this.#headers = { ...ownHeaders, ...credentials.headers };
  }

  /** Posts to a path below the base URL. */
  post(path: string, body: object, signal: AbortSignal): Promise<ApiResponse> {
    let post = this.#posts.get(path);
    if (post === undefined) {
      post = postTo(this.#url(path), this.variables);
      this.#posts.set(path, post);
    }
    return post({ headers: this.#headers, body: JSON.stringify(body), signal });
  }

  #url(path: string): URL {
    const url = new URL(this.baseUrl);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
    for (const [name, value] of Object.entries(this.credentials.query)) url.searchParams.set(name, value);
    return url;
  }
}
