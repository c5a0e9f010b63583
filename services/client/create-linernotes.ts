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
import {
  DEFAULT_RETRIES,
  type Fetch,
  type RetryOptions,
  type RetryTiming,
  withRetries,
} from './with-retries.ts';

export interface LinernotesOptions {
  /** Base URL of the service, such as `https://api.example`. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it for each request. Public routes need none. */
  readonly key?: string | (() => string | Promise<string>);
  readonly retry?: Partial<RetryOptions>;
  /** Number of responses with an ETag to cache and revalidate. Default: 0. */
  readonly cacheEntries?: number;
  /** Sends the requests. Default: `fetch` of the runtime. */
  readonly fetch?: Fetch;
}

type Api = Client<paths>;
type Method = 'get' | 'post';
type PathOf<M extends Method> = ClientPathsWithMethod<Api, M>;
/** The body of a response; undefined for routes without one. */
type Body<M extends Method, Path extends PathOf<M>> = [MethodResponse<Api, M, Path>] extends [never]
  ? undefined
  : MethodResponse<Api, M, Path>;
/** The parts of a request: params, body, signal, headers. Optional for routes without required parameters. */
type Init<Path extends keyof paths, M extends Method> =
  undefined extends MaybeOptionalInit<paths[Path], M>
    ? [init?: MaybeOptionalInit<paths[Path], M>]
    : [init: MaybeOptionalInit<paths[Path], M>];

/** The API with parsed responses. Failures reject with a LinernotesError, or with the reason of an aborted signal. */
export interface Linernotes {
  get<Path extends PathOf<'get'>>(path: Path, ...init: Init<Path, 'get'>): Promise<Body<'get', Path>>;
  post<Path extends PathOf<'post'>>(path: Path, ...init: Init<Path, 'post'>): Promise<Body<'post', Path>>;
  /** Every row of a paged route. */
  pages<Path extends PagedPath>(path: Path, ...init: Init<Path, 'get'>): AsyncIterable<Rows[Path]>;
  /** The same API with whole responses: `const { data, response } = await http.GET(…)`. */
  readonly http: Api;
}

/** @param timing clock of the retries */
export function createLinernotes(options: LinernotesOptions, timing?: RetryTiming): Linernotes {
  const { baseUrl, key, retry = {}, cacheEntries = 0, fetch = globalThis.fetch } = options;
  const retried = withRetries((request) => fetch(request), { ...DEFAULT_RETRIES, ...retry }, timing);
  const http = createClient<paths>({
    baseUrl,
    fetch: cacheEntries > 0 ? withEtags(retried, cacheEntries) : retried,
    headers: { accept: 'application/json' },
    // The service never redirects, and a key must not reach another host.
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

/** Untyped here: the path determines the types of a call at the call site. */
function callsOf(http: Api): Pick<Linernotes, 'get' | 'post' | 'pages'> {
  const { GET, POST } = http as unknown as Readonly<Record<'GET' | 'POST', Call>>;
  const get = async (path: string, init?: object): Promise<unknown> => (await GET(path, init)).data;
  const post = async (path: string, init?: object): Promise<unknown> => (await POST(path, init)).data;
  const pages = (path: PagedPath, init?: PagedInit): AsyncIterable<unknown> =>
    rowsOf((page) => get(path, page), path, init);
  return { get, post, pages } as Pick<Linernotes, 'get' | 'post' | 'pages'>;
}
