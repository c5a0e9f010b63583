import { beforeAll, describe, expect, it } from 'vitest';
import { radioPlayV1 } from '../../projections/sources/seen/radio-play-v1.ts';
import { type SurfaceSource, surfaceByName } from '../../projections/sources/surfaces.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { breakableLink } from '../../test/services/breakable-link.ts';
import { withSurfaces } from '../../test/surface-service.ts';
import { createLinernotes } from './create-linernotes.ts';
import type { Waiting } from './with-retries.ts';

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

/** Passes the service's time, and keeps what was waited for. */
function passing(meanwhile: () => unknown = () => {}) {
  const waits: number[] = [];
  const waiting: Waiting = {
    now: () => service.now(),
    random: () => 0.5,
    async sleep(ms) {
      waits.push(ms);
      service.passTime(ms);
      await meanwhile();
    },
  };
  return { waits, waiting };
}

/** Counts the requests that leave the client, with what each asked for. */
function counted() {
  const asked: URL[] = [];
  const fetchCounted = (request: Request): Promise<Response> => {
    asked.push(new URL(request.url));
    return fetch(request);
  };
  return { asked, fetch: fetchCounted };
}

describe('a read', () => {
  it('answers what the service does, parsed', async () => {
    const linernotes = createLinernotes({ baseUrl, key: service.key() });
    const answer = await linernotes.get(RADIO, { params: { path: { name }, query: { cluster, limit: 1 } } });
    expect(answer).toMatchObject({ object: 'surface.rows', surface: name, present: true, state: 'present' });
    expect(answer.rows).toMatchObject([{ title: 'Title 6' }]);
  });

  it('takes a key that changes', async () => {
    const keys = ['ln_test_wrong', service.key()];
    const linernotes = createLinernotes({ baseUrl, key: async () => keys.shift() ?? '' });
    await expect(linernotes.get('/api/v2/usage')).rejects.toMatchObject({ code: 'invalid_api_key' });
    expect(await linernotes.get('/api/v2/usage')).toMatchObject({ key: { tier: 'standard' } });
  });

  it('answers headers too where they are asked for', async () => {
    const { http } = createLinernotes({ baseUrl, key: service.key() });
    const { data, response } = await http.GET('/api/v2/usage');
    expect(data).toMatchObject({ key: { tier: 'standard' } });
    expect(Number(response.headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
  });

  it('needs no key on public routes', async () => {
    const answer = await createLinernotes({ baseUrl: `${baseUrl}/` }).get('/api/v2');
    expect(JSON.stringify(answer)).toContain('/api/v2/resolve');
  });
});

describe('an error', () => {
  it('says its code, status, parameter and details', async () => {
    const linernotes = createLinernotes({ baseUrl, key: service.key() });
    const asked = linernotes.get(RADIO, { params: { path: { name }, query: { cluster: 'zz' } } });
    await expect(asked).rejects.toMatchObject({
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

  it('of a key that is missing is no other', async () => {
    await expect(createLinernotes({ baseUrl }).get('/api/v2/usage')).rejects.toMatchObject({
      code: 'missing_api_key',
      status: 401,
    });
  });
});

describe('rows of a surface', () => {
  it('come page by page, in order, each once', async () => {
    const { asked, fetch: send } = counted();
    const linernotes = createLinernotes({ baseUrl, key: service.key(), fetch: send });
    const titles: unknown[] = [];
    for await (const row of linernotes.pages(RADIO, {
      params: { path: { name }, query: { cluster, limit: 3 } },
    }))
      titles.push(row.title);
    expect(titles).toEqual(Array.from({ length: PLAYS }, (_, index) => `Title ${PLAYS - 1 - index}`));
    expect(asked.map(({ searchParams }) => searchParams.has('after'))).toEqual([false, true, true]);
  });

  it('are asked for no further than they are read', async () => {
    const { asked, fetch: send } = counted();
    const linernotes = createLinernotes({ baseUrl, key: service.key(), fetch: send });
    for await (const row of linernotes.pages(RADIO, {
      params: { path: { name }, query: { cluster, limit: 3 } },
    })) {
      expect(row.title).toBe('Title 6');
      break;
    }
    expect(asked).toHaveLength(1);
  });

  it('do not seem to end where a page could not be read', async () => {
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

  it('is waited for as long as the service asks, and the request answered after that', async () => {
    const { waits, waiting } = passing();
    const options = { baseUrl: narrowUrl, key: service.key(), retry: { budgetMs: 120_000 } };
    const linernotes = createLinernotes(options, waiting);
    for (let count = 0; count < 2; count++) await linernotes.get(usage);
    expect(await linernotes.get(usage)).toMatchObject({ key: { tier: 'standard' } });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
    expect(waits[0]).toBeLessThanOrEqual(60_500);
  });

  it('is an error at once where the wait does not fit the budget', async () => {
    const { waits, waiting } = passing();
    const options = { baseUrl: narrowUrl, key: service.key(), retry: { budgetMs: 500 } };
    const linernotes = createLinernotes(options, waiting);
    const asked = (async () => {
      for (let count = 0; count < 5; count++) await linernotes.get(usage);
    })();
    await expect(asked).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfter: expect.any(Number),
    });
    expect(waits).toEqual([]);
  });
});

describe('a connection that fails', () => {
  it('is tried again', async () => {
    const link = await breakableLink(baseUrl);
    await link.cut();
    const { waits, waiting } = passing(() => link.mend());
    const linernotes = createLinernotes({ baseUrl: link.through(baseUrl), key: service.key() }, waiting);
    expect(await linernotes.get('/api/v2/usage')).toMatchObject({ key: { tier: 'standard' } });
    expect(waits).toEqual([125]);
    await link.cut();
  });

  it('is an error of its own once it was tried often enough', async () => {
    const link = await breakableLink(baseUrl);
    await link.cut();
    const { waits, waiting } = passing();
    const options = { baseUrl: link.through(baseUrl), retry: { retries: 2 } };
    await expect(createLinernotes(options, waiting).get('/api/v2')).rejects.toMatchObject({
      code: 'network_error',
      status: null,
    });
    expect(waits).toEqual([125, 250]);
  });
});

describe('answers that are held', () => {
  it('are asked for again only if they changed', async () => {
    const statuses: number[] = [];
    const linernotes = createLinernotes({
      baseUrl,
      cacheEntries: 1,
      async fetch(request) {
        const answer = await fetch(request);
        statuses.push(answer.status);
        return answer;
      },
    });
    const first = await linernotes.get('/api/v2/openapi.json');
    expect(await linernotes.get('/api/v2/openapi.json')).toEqual(first);
    expect(statuses).toEqual([200, 304]);
  });
});

it('gives up with the reason of the signal', async () => {
  const reason = new Error('no longer wanted');
  const linernotes = createLinernotes({ baseUrl });
  await expect(linernotes.get('/api/v2', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

it('never follows to where a key should not go', async () => {
  const redirected = createLinernotes({
    baseUrl,
    key: service.key(),
    retry: { retries: 0 },
    fetch: (request) => fetch(new Request(`${baseUrl}/docs`, request)),
  });
  await expect(redirected.get('/api/v2/usage')).rejects.toMatchObject({ code: 'network_error' });
});
