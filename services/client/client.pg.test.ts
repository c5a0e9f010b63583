import { beforeAll, describe, expect, it } from 'vitest';
import { radioPlayV1 } from '../../projections/contracts/seen/radio-play-v1.ts';
import { type SurfaceSource, surfaceByName } from '../../projections/contracts/surfaces.ts';
import { withSurfaces } from '../../test/support/query/surface-service.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import { breakableLink } from '../../test/support/services/breakable-link.ts';
import { createLinernotes } from './create-linernotes.ts';
import type { RetryTiming } from './with-retries.ts';

const PLAYS = 7;
const RADIO = '/api/v2/surface/{name}';
const cluster = 'ab'.repeat(32);
const name = radioPlayV1.table;

const service = withSurfaces();
let baseUrl: string;
let narrowUrl: string;

beforeAll(async () => {
  await service.write(
    surfaceByName.get(name) as SurfaceSource,
    Array.from({ length: PLAYS }, (_, index) => ({
      ...rowsOf(radioPlayV1, {}).rows[0],
      cluster_id: cluster,
      play_id: `play ${index}`,
      title: `Title ${index}`,
      played_at: `2019-06-30T12:00:0${index}Z`,
    })),
  );
  const listen = { host: '127.0.0.1', port: 0 };
  baseUrl = await (await service.another()).listen(listen);
  const limits = { perKey: 2, perAddress: 1_000 };
  narrowUrl = await (await service.another({ limits })).listen(listen);
});

/** Retries on the clock of the service, and the waits of them. */
function recordedTiming(meanwhile: () => unknown = () => {}) {
  const waits: number[] = [];
  const timing: RetryTiming = {
    now: () => service.now(),
    random: () => 0.5,
    async sleep(ms) {
      waits.push(ms);
      service.passTime(ms);
      await meanwhile();
    },
  };
  return { waits, timing };
}

/** A fetch that records the URLs of requests. */
function recordedFetch() {
  const urls: URL[] = [];
  const fetchRecorded = (request: Request): Promise<Response> => {
    urls.push(new URL(request.url));
    return fetch(request);
  };
  return { urls, fetch: fetchRecorded };
}

describe('a read', () => {
  it('returns the parsed body', async () => {
    const linernotes = createLinernotes({ baseUrl, key: service.key() });
    const body = await linernotes.get(RADIO, { params: { path: { name }, query: { cluster, limit: 1 } } });
    expect(body).toMatchObject({ object: 'surface.rows', surface: name, present: true, state: 'present' });
    expect(body.rows).toMatchObject([{ title: 'Title 6' }]);
  });

  it('accepts a key that changes', async () => {
    const keys = ['ln_test_wrong', service.key()];
    const linernotes = createLinernotes({ baseUrl, key: async () => keys.shift() ?? '' });
    await expect(linernotes.get('/api/v2/usage')).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(await linernotes.get('/api/v2/usage')).toMatchObject({ key: { tier: 'standard' } });
  });

  it('returns headers with http', async () => {
    const { http } = createLinernotes({ baseUrl, key: service.key() });
    const { data, response } = await http.GET('/api/v2/usage');
    expect(data).toMatchObject({ key: { tier: 'standard' } });
    expect(Number(response.headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
  });

  it('needs no key on public routes', async () => {
    const body = await createLinernotes({ baseUrl: `${baseUrl}/` }).get('/api/v2');
    expect(JSON.stringify(body)).toContain('/api/v2/resolve');
  });
});

describe('an error', () => {
  it('has code, status, parameter and details', async () => {
    const linernotes = createLinernotes({ baseUrl, key: service.key() });
    const request = linernotes.get(RADIO, { params: { path: { name }, query: { cluster: 'zz' } } });
    await expect(request).rejects.toMatchObject({
      name: 'LinernotesError',
      code: 'invalid_query',
      status: 400,
      param: 'cluster',
      details: [{ path: 'cluster', message: expect.any(String) }],
      docUrl: 'https://api.example/docs/api#error-invalid_query',
      requestId: expect.any(String),
      retryAfter: null,
    });
  });

  it('has its own code for a missing key', async () => {
    await expect(createLinernotes({ baseUrl }).get('/api/v2/usage')).rejects.toMatchObject({
      code: 'missing_api_key',
      status: 401,
    });
  });
});

describe('rows of a surface', () => {
  it('come page by page, in order, each once', async () => {
    const { urls, fetch: send } = recordedFetch();
    const linernotes = createLinernotes({ baseUrl, key: service.key(), fetch: send });
    const titles: unknown[] = [];
    for await (const row of linernotes.pages(RADIO, {
      params: { path: { name }, query: { cluster, limit: 3 } },
    }))
      titles.push(row.title);
    expect(titles).toEqual(Array.from({ length: PLAYS }, (_, index) => `Title ${PLAYS - 1 - index}`));
    expect(urls.map(({ searchParams }) => searchParams.has('after'))).toEqual([false, true, true]);
  });

  it('are requested only when the caller reads on', async () => {
    const { urls, fetch: send } = recordedFetch();
    const linernotes = createLinernotes({ baseUrl, key: service.key(), fetch: send });
    for await (const row of linernotes.pages(RADIO, {
      params: { path: { name }, query: { cluster, limit: 3 } },
    })) {
      expect(row.title).toBe('Title 6');
      break;
    }
    expect(urls).toHaveLength(1);
  });

  it('end with an error if the service cannot read a page', async () => {
    const broken = await service.another();
    const url = await broken.listen({ host: '127.0.0.1', port: 0 });
    await service.pool.query('alter table ingest.mirror rename to mirror_away');
    try {
      const linernotes = createLinernotes({ baseUrl: url, key: service.key() });
      const pages = linernotes.pages(RADIO, { params: { path: { name }, query: { cluster } } });
      await expect(Array.fromAsync(pages)).rejects.toMatchObject({ code: 'degraded', status: 200 });
    } finally {
      await service.pool.query('alter table ingest.mirror_away rename to mirror');
    }
  });
});

describe('a limit', () => {
  const usage = '/api/v2/usage';

  it('delays the request by Retry-After', async () => {
    const { waits, timing } = recordedTiming();
    const options = { baseUrl: narrowUrl, key: service.key(), retry: { budgetMs: 120_000 } };
    const linernotes = createLinernotes(options, timing);
    for (let count = 0; count < 2; count++) await linernotes.get(usage);
    expect(await linernotes.get(usage)).toMatchObject({ key: { tier: 'standard' } });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
    expect(waits[0]).toBeLessThanOrEqual(60_500);
  });

  it('is an error without a wait if the wait would exceed the budget', async () => {
    const { waits, timing } = recordedTiming();
    const options = { baseUrl: narrowUrl, key: service.key(), retry: { budgetMs: 500 } };
    const linernotes = createLinernotes(options, timing);
    const requests = (async () => {
      for (let count = 0; count < 5; count++) await linernotes.get(usage);
    })();
    await expect(requests).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfter: expect.any(Number),
    });
    expect(waits).toEqual([]);
  });
});

describe('a connection that fails', () => {
  it('is retried', async () => {
    const link = await breakableLink(baseUrl);
    await link.cut();
    const { waits, timing } = recordedTiming(() => link.mend());
    const linernotes = createLinernotes({ baseUrl: link.through(baseUrl), key: service.key() }, timing);
    expect(await linernotes.get('/api/v2/usage')).toMatchObject({ key: { tier: 'standard' } });
    expect(waits).toEqual([125]);
    await link.cut();
  });

  it('is a network error after the last retry', async () => {
    const link = await breakableLink(baseUrl);
    await link.cut();
    const { waits, timing } = recordedTiming();
    const options = { baseUrl: link.through(baseUrl), retry: { retries: 2 } };
    await expect(createLinernotes(options, timing).get('/api/v2')).rejects.toMatchObject({
      code: 'network_error',
      status: null,
    });
    expect(waits).toEqual([125, 250]);
  });
});

describe('cached responses', () => {
  it('are revalidated', async () => {
    const statuses: number[] = [];
    const linernotes = createLinernotes({
      baseUrl,
      cacheEntries: 1,
      async fetch(request) {
        const response = await fetch(request);
        statuses.push(response.status);
        return response;
      },
    });
    const first = await linernotes.get('/api/v2/openapi.json');
    expect(await linernotes.get('/api/v2/openapi.json')).toEqual(first);
    expect(statuses).toEqual([200, 304]);
  });
});

it('rejects with the reason of the signal', async () => {
  const reason = new Error('no longer wanted');
  const linernotes = createLinernotes({ baseUrl });
  await expect(linernotes.get('/api/v2', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

it('does not follow redirects that would send the key elsewhere', async () => {
  const redirected = createLinernotes({
    baseUrl,
    key: service.key(),
    retry: { retries: 0 },
    fetch: (request) => fetch(new Request(`${baseUrl}/docs`, request)),
  });
  await expect(redirected.get('/api/v2/usage')).rejects.toMatchObject({ code: 'network_error' });
});
