import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import type { paths } from './api.ts';
import { errorOf } from './linernotes-error.ts';
import { type PagedInit, type PagedPath, type Rows, rowsOf } from './paging.ts';
import { withEtags } from './with-etags.ts';
import { DEFAULT_RETRIES, type Fetch, type RetryOptions, type Waiting, withRetries } from './with-retries.ts';

export interface LinernotesOptions {
  /** Where the service is reached, as `https://api.example`. */
  readonly baseUrl: string;
  /** The API key, or what tells it for each request; without one, public routes are open. */
  readonly key?: string | (() => string | Promise<string>);
  readonly retry?: Partial<RetryOptions>;
  /** Answers with an ETag that are held, to be asked for again only if they changed; 0, none, unless given. */
  readonly cacheEntries?: number;
  /** Sends the requests; the runtime's own unless given. */
  readonly fetch?: Fetch;
}

type Api = Client<paths>;
type Method = 'get' | 'post';
type PathOf<M extends Method> = ClientPathsWithMethod<Api, M>;
/** What is answered; nothing where a route answers without a body. */
type Answer<M extends Method, Path extends PathOf<M>> = [MethodResponse<Api, M, Path>] extends [never]
  ? undefined
  : MethodResponse<Api, M, Path>;
/** What a request is made of: params, body, signal, headers. Left out where a route asks for nothing. */
type Init<Path extends keyof paths, M extends Method> =
  undefined extends MaybeOptionalInit<paths[Path], M>
    ? [init?: MaybeOptionalInit<paths[Path], M>]
    : [init: MaybeOptionalInit<paths[Path], M>];

/**
 * The API. Answers come parsed; whatever is no answer rejects with a LinernotesError, or with the reason of the signal
 * that was given up by.
 */
export interface Linernotes {
  get<Path extends PathOf<'get'>>(path: Path, ...init: Init<Path, 'get'>): Promise<Answer<'get', Path>>;
  post<Path extends PathOf<'post'>>(path: Path, ...init: Init<Path, 'post'>): Promise<Answer<'post', Path>>;
  /** Every row of a route that answers page by page. */
  pages<Path extends PagedPath>(path: Path, ...init: Init<Path, 'get'>): AsyncIterable<Rows[Path]>;
  /** The same with answers as they are, headers included: `const { data, response } = await http.GET(…)`. */
  readonly http: Api;
}

/** @param waiting how time passes between attempts */
export function createLinernotes(options: LinernotesOptions, waiting?: Waiting): Linernotes {
  const { baseUrl, key, retry = {}, cacheEntries = 0, fetch = globalThis.fetch } = options;
  const retried = withRetries((request) => fetch(request), { ...DEFAULT_RETRIES, ...retry }, waiting);
  const http = createClient<paths>({
    baseUrl,
    fetch: cacheEntries > 0 ? withEtags(retried, cacheEntries) : retried,
    headers: { accept: 'application/json' },
    // The service redirects nowhere, and a key must not follow to where somebody else would.
    redirect: 'error',
  });
  http.use({
    async onRequest({ request }) {
      const text = typeof key === 'function' ? await key() : key;
      if (text !== undefined) request.headers.set('x-api-key', text);
    },
    async onResponse({ response }) {
      if (response.status >= 400) throw errorOf(response, await response.text());
    },
  });
  return { ...callsOf(http), http };
}

type Call = (path: string, init?: object) => Promise<{ readonly data?: unknown }>;

/** The types of a call follow from its path, which says nothing yet where calls are passed on. */
function callsOf(http: Api): Pick<Linernotes, 'get' | 'post' | 'pages'> {
  const { GET, POST } = http as unknown as Readonly<Record<'GET' | 'POST', Call>>;
  const get = async (path: string, init?: object): Promise<unknown> => (await GET(path, init)).data;
  const post = async (path: string, init?: object): Promise<unknown> => (await POST(path, init)).data;
  const pages = (path: PagedPath, init?: PagedInit): AsyncIterable<unknown> =>
    rowsOf((page) => get(path, page), path, init);
  return { get, post, pages } as Pick<Linernotes, 'get' | 'post' | 'pages'>;
}
