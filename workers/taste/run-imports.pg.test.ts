import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { pause } from '../../infra/runtime/retry.ts';
import { catalogArtist } from '../../projections/contracts/catalog/artist.ts';
import { artistIdentityBridge } from '../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../projections/contracts/seen/performing-entity.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { identityProjection } from '../../projections/models/identity/project.ts';
import { fillMirror } from '../../test/support/ingest/fill-mirror.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { connectAccount, importState, itemsOf, matchesOf } from '../../test/support/taste/rows.ts';
import {
  chartsPage,
  collectionPage,
  jsonResponse,
  statisticsPage,
  withUpstream,
} from '../../test/support/taste/upstream.ts';
import { catalog } from './catalog.ts';
import { charts } from './charts.ts';
import { runImports } from './run-imports.ts';
import { statistics } from './statistics.ts';
import type { Upstream } from './upstream.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const THIRD_CLUSTER = '0a'.repeat(32);
/** Poll interval of conditions; no assertion depends on it. */
const POLL_MS = 5;

vi.mock('../../infra/runtime/retry.ts', { spy: true });

const { pool } = withDatabase();
const upstream = withUpstream();

beforeAll(async () => {
  const registry = await registerSources(pool);
  await fillMirror(pool, registry, [
    rowsOf(catalogArtist, { name: 'Mono', slug: 'mono' }),
    rowsOf(
      artistIdentityBridge,
      { catalog_artist_id: CATALOG_ID, catalog_artist_id_count: 1 },
      { cluster_id: OTHER_CLUSTER, catalog_artist_id: null, catalog_artist_id_count: 0, mbid: MBID },
    ),
    rowsOf(
      performingEntity,
      { cluster_id: OTHER_CLUSTER, name: 'Wax' },
      { cluster_id: THIRD_CLUSTER, name: 'Observed' },
    ),
  ]);
  await rebuild(pool, identityProjection, registry);
});
afterEach(() => pool.query('truncate taste.person cascade; truncate taste.upstream'));

const own = () => ({ url: new URL(upstream.url), userAgent: 'Linernotes/1.0 +a@b', intervalMs: 1 });
const collections = () => catalog({ ...own(), token: null });
const listening = () => charts({ ...own(), key: 'key' });

/** Three attempts without a pause. */
const fastRetries = { firstMs: 0, maxMs: 0, attempts: 3 };
const FAST_RETRIES = {
  unavailable: fastRetries,
  bad_answer: fastRetries,
  not_computed: fastRetries,
  refused: fastRetries,
};
const CLOSED_BREAKER = { after: 1_000, firstMs: 0, maxMs: 0 };
const HOUR_MS = 3_600_000;

interface RunOptions {
  readonly maxPages?: number;
  readonly signal?: AbortSignal;
  readonly log?: (line: string) => void;
  readonly breaker?: { readonly after: number; readonly firstMs: number; readonly maxMs: number };
}

const run = (
  upstreams: readonly Upstream[],
  {
    maxPages = 50,
    signal = new AbortController().signal,
    log = () => {},
    breaker = CLOSED_BREAKER,
  }: RunOptions = {},
) =>
  runImports({
    pool,
    log: pino({ level: 'trace' }, { write: log }),
    upstreams,
    maxPages: maxPages,
    runMs: 60_000,
    signal,
    retryLimits: FAST_RETRIES,
    breaker,
    pollMs: POLL_MS,
    limits: { timeoutMs: 30_000, maxBytes: 1_000_000 },
  });

const MONO = { id: CATALOG_ID, name: 'Mono' };
const OBSERVED = { id: 8, name: 'Observed (3)' };
const UNHEARD = { id: 9, name: 'Unheard' };

/** Returns a check that a service has been paused for so many seconds since this call. */
async function expectPause(seconds: number): Promise<() => Promise<boolean>> {
  const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::text as now');
  return async () => {
    const { rowCount } = await pool.query(
      `select from taste.upstream
       where free_at between $1::timestamptz + $2 * interval '1 s' and clock_timestamp() + $2 * interval '1 s'`,
      [rows[0]?.now, seconds],
    );
    return rowCount === 1;
  };
}

const pageOf = (query: URLSearchParams): number => Number(query.get('page'));

describe('an import', () => {
  it('reads all pages of a collection and matches known artists', async () => {
    const connected = await connectAccount(pool, { username: 'some body' });
    const pages = [[MONO, UNHEARD], [OBSERVED, MONO], [{ id: 194, name: 'Various' }]];
    upstream.answer(({ query }, response) =>
      jsonResponse(response, collectionPage(pages[pageOf(query) - 1] ?? [], pageOf(query), 3)),
    );
    expect(await run([collections()])).toEqual({ pages: 3, done: 1, failed: 0, postponed: 0 });
    expect(upstream.asked.map(({ path, query }) => `${path} ${query}`)).toEqual(
      [1, 2, 3].map((page) => `/users/some%20body/collection/folders/0/releases page=${page}&per_page=100`),
    );
    expect(await itemsOf(pool, connected.account)).toEqual([
      `Mono ${CATALOG_ID}`,
      'Observed (3) 8',
      'Unheard 9',
    ]);
    expect(await matchesOf(pool, connected.account)).toEqual({
      [CLUSTER]: 'catalog',
      [THIRD_CLUSTER]: 'name',
    });
    expect(await importState(pool, connected.import)).toEqual({
      state: 'done',
      items: 3,
      matched: 2,
      failure: null,
      attempt: 0,
      cursor: null,
    });
  });

  it('reads both kinds of listening service', async () => {
    const first = await connectAccount(pool, { service: 'scrobbler', username: 'one' });
    upstream.answer(({ query }, response) =>
      jsonResponse(
        response,
        chartsPage([{ name: 'Anything', mbid: MBID }, { name: 'mono' }], pageOf(query), 1),
      ),
    );
    expect(await run([listening()])).toMatchObject({ done: 1 });
    const second = await connectAccount(pool, { service: 'scrobbler', username: 'two' });
    const all = [{ name: 'Wax' }, { name: 'Observed' }, { name: 'Mono', mbid: MBID }];
    upstream.answer(({ query }, response) => {
      const offset = Number(query.get('offset'));
      jsonResponse(response, statisticsPage(all.slice(offset, offset + 2), offset, 3));
    });
    expect(await run([statistics({ ...own(), key: null })])).toMatchObject({ done: 1, pages: 2 });
    expect(await matchesOf(pool, first.account)).toEqual({ [OTHER_CLUSTER]: 'mbid', [CLUSTER]: 'name' });
    // The surer of two matches wins.
    expect(await matchesOf(pool, second.account)).toEqual({
      [OTHER_CLUSTER]: 'mbid',
      [THIRD_CLUSTER]: 'name',
    });
    expect(await importState(pool, second.import)).toMatchObject({ items: 3, matched: 3 });
  });

  it('run twice leaves the same rows and drops removed items', async () => {
    const { account, person } = await connectAccount(pool, { username: 'somebody' });
    const give = (...artists: { id: number; name: string }[]) =>
      upstream.answer((_, response) => jsonResponse(response, collectionPage(artists, 1, 1)));
    const importAgain = async () => {
      await connectAccount(pool, { username: 'somebody', person, consumer: `app ${Math.random()}` });
      await run([collections()]);
    };
    give(MONO, UNHEARD);
    await run([collections()]);
    const rows = async () => [await itemsOf(pool, account), await matchesOf(pool, account)];
    const before = await rows();
    await importAgain();
    expect(await rows()).toEqual(before);
    give(OBSERVED);
    await importAgain();
    expect(await rows()).toEqual([['Observed (3) 8'], { [THIRD_CLUSTER]: 'name' }]);
  });

  it('continues at the next page after it was killed', async () => {
    const { import: id, account } = await connectAccount(pool, { username: 'somebody' });
    const killing = new AbortController();
    upstream.answer(({ query }, response) => {
      if (pageOf(query) === 3) killing.abort(new Error('killed'));
      else
        jsonResponse(response, collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 4));
    });
    await expect(run([collections()], { signal: killing.signal })).rejects.toThrow('killed');
    expect(await importState(pool, id)).toMatchObject({
      state: 'running',
      items: 2,
      cursor: { at: 3, pages: 2 },
    });
    upstream.asked.length = 0;
    upstream.answer(({ query }, response) =>
      jsonResponse(response, collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 4)),
    );
    await run([collections()]);
    expect(upstream.asked.map(({ query }) => pageOf(query))).toEqual([3, 4]);
    expect((await itemsOf(pool, account)).length).toBe(4);
    expect(await importState(pool, id)).toMatchObject({ state: 'done', items: 4 });
  });

  it('alternates by page: the longest waiting import is next', async () => {
    for (const username of ['large', 'small']) await connectAccount(pool, { username });
    upstream.answer(({ path, query }, response) =>
      jsonResponse(response, collectionPage([MONO], pageOf(query), path.includes('large') ? 4 : 2)),
    );
    expect(await run([collections()])).toMatchObject({ done: 2, pages: 6 });
    expect(upstream.asked.map(({ path }) => path.split('/')[2])).toEqual([
      'large',
      'small',
      'large',
      'small',
      'large',
      'large',
    ]);
  });

  it('begins with persons whose code was exchanged, in each service', async () => {
    await connectAccount(pool, { username: 'first' });
    const exchanged = [
      await connectAccount(pool, { username: 'second' }),
      await connectAccount(pool, { username: 'third' }),
    ];
    await pool.query('update taste.person set exchanged_at = now() where id = any($1)', [
      exchanged.map(({ person }) => person),
    ]);
    upstream.answer(({ query }, response) =>
      jsonResponse(response, collectionPage([MONO], pageOf(query), 2)),
    );
    expect(await run([collections()])).toMatchObject({ done: 3, pages: 6 });
    expect(upstream.asked.map(({ path }) => path.split('/')[2])).toEqual([
      'second',
      'third',
      'second',
      'third',
      'first',
      'first',
    ]);
  });

  it('keeps the request rate of the service across runs', async () => {
    for (let n = 0; n < 4; n++) await connectAccount(pool, { username: `user ${n}` });
    const { rows } = await pool.query<{ first: string }>(
      `insert into taste.upstream values ('catalog', now() + interval '10 s') returning free_at::text as first`,
    );
    // Every reserved slot is seconds away; the pauses before them end without waiting.
    let [pauses, requests] = [0, 0];
    vi.mocked(pause).mockImplementation(async (ms) => {
      if (ms > POLL_MS) pauses++;
    });
    upstream.answer((_, response) => {
      requests++;
      expect(requests).toBeLessThanOrEqual(pauses);
      jsonResponse(response, collectionPage([MONO], 1, 1));
    });
    const slow = { ...collections(), intervalMs: 60 };
    await Promise.all([run([slow]), run([slow])]);
    vi.mocked(pause).mockReset();
    expect(requests).toBeGreaterThanOrEqual(4);
    const { rows: paced } = await pool.query(
      `select free_at >= $1::timestamptz + $2 * interval '60 ms' as "isPaced" from taste.upstream`,
      [rows[0]?.first, pauses],
    );
    expect(paced).toEqual([{ isPaced: true }]);
  });

  it('saves each page once when two runs read it concurrently', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    upstream.answer(async ({ query }, response) => {
      if (pageOf(query) === 1) {
        if (++waiting === 2) both.resolve();
        await both.promise;
      }
      jsonResponse(response, collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 2));
    });
    const [one, other] = await Promise.all([run([collections()]), run([collections()])]);
    expect([one.pages + other.pages, one.done + other.done]).toEqual([2, 1]);
    expect(await importState(pool, id)).toMatchObject({ state: 'done', items: 2 });
  });
});

describe('a service that is not configured', () => {
  it('fails imports and restarts them once configured', async () => {
    const { import: id, account } = await connectAccount(pool, { username: 'somebody' });
    expect(await run([])).toEqual({ pages: 0, done: 0, failed: 1, postponed: 0 });
    expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'not_configured' });
    expect(await run([listening()])).toMatchObject({ failed: 0 });
    upstream.answer((_, response) => jsonResponse(response, collectionPage([MONO], 1, 1)));
    expect(await run([collections()])).toMatchObject({ done: 1 });
    expect(await importState(pool, id)).toMatchObject({ state: 'done', failure: null });
    expect(await matchesOf(pool, account)).toEqual({ [CLUSTER]: 'catalog' });
  });
});

const asHtml = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<p>');
};

describe('an import fails', () => {
  const failing = async (answer: (response: ServerResponse) => void, upstreams = [collections()]) => {
    const service = upstreams[0]?.service ?? 'catalog';
    const { import: id } = await connectAccount(pool, { service, username: 'somebody' });
    upstream.answer((_, response) => answer(response));
    const counts = await run(upstreams);
    return { counts, import: await importState(pool, id), asked: upstream.asked.length };
  };

  it.each([
    ['an unknown user', 404, 'User does not exist or may have been deleted.', 'user_not_found'],
    ['a private collection', 403, 'You are not allowed to view this resource.', 'private'],
  ])('immediately for %s', async (_, status, message, failure) => {
    const outcome = await failing((response) => jsonResponse(response, { message }, { status }));
    expect(outcome).toMatchObject({ counts: { failed: 1, postponed: 0 }, asked: 1 });
    expect(outcome.import).toMatchObject({ state: 'failed', failure, cursor: null });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), 'bad_answer'],
    [
      'wrong types',
      (response) => jsonResponse(response, { pagination: { pages: [] }, releases: 7 }),
      'bad_answer',
    ],
    ['redirects', (response) => response.writeHead(302, { location: '/users' }).end(), 'bad_answer'],
    [
      'an oversized response',
      (response) => jsonResponse(response, { a: ' '.repeat(2_000_000) }),
      'bad_answer',
    ],
    ['errors', (response) => jsonResponse(response, {}, { status: 500 }), 'unavailable'],
    ['a broken connection', (response) => response.destroy(), 'unavailable'],
    ['a challenge page', (response) => asHtml(response, 403), 'refused'],
    ['an unknown URL', (response) => asHtml(response, 404), 'bad_answer'],
  ])('after some attempts with %s', async (_, answer, failure) => {
    const outcome = await failing(answer);
    expect(outcome).toMatchObject({ counts: { failed: 1, postponed: 2 }, asked: 3 });
    expect(outcome.import).toMatchObject({ state: 'failed', failure });
  });

  it('eventually if the service never computes statistics', async () => {
    const outcome = await failing(
      (response) => response.writeHead(204).end(),
      [statistics({ ...own(), key: null })],
    );
    expect(outcome).toMatchObject({ asked: 3, import: { state: 'failed', failure: 'not_computed' } });
  });

  it('after some attempts with a rejected key, and logs warnings', async () => {
    const lines: string[] = [];
    await connectAccount(pool, { service: 'scrobbler', username: 'somebody' });
    upstream.answer((_, response) =>
      jsonResponse(response, { error: 10, message: 'Invalid API key' }, { status: 403 }),
    );
    expect(await run([listening()], { log: (line) => lines.push(line) })).toMatchObject({
      failed: 1,
      postponed: 2,
    });
    expect(lines.map((line) => [JSON.parse(line).level, JSON.parse(line).failure])).toEqual([
      [40, 'refused'],
      [40, 'refused'],
      [40, 'refused'],
    ]);
  });

  it('without a request for a username of dots', async () => {
    const { import: id } = await connectAccount(pool, { username: '..' });
    await run([collections()]);
    expect(upstream.asked).toEqual([]);
    expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'user_not_found' });
  });
});

describe('a service that', () => {
  it('responds 429 is paused for as long as it demands', async () => {
    const first = await connectAccount(pool, { username: 'one' });
    await connectAccount(pool, { username: 'two' });
    upstream.answer((_, response) =>
      jsonResponse(response, { message: 'too many' }, { status: 429, headers: { 'retry-after': '600' } }),
    );
    const isPaused = await expectPause(600);
    expect(await run([collections()])).toMatchObject({ postponed: 1, failed: 0 });
    expect(await isPaused()).toBe(true);
    expect(await run([collections()])).toMatchObject({ pages: 0, postponed: 0 });
    expect(upstream.asked.length).toBe(1);
    expect(await importState(pool, first.import)).toMatchObject({
      state: 'queued',
      failure: 'unavailable',
      attempt: 1,
    });
  });

  it('reports an exhausted limit is paused after that page', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    upstream.answer((_, response) =>
      jsonResponse(response, collectionPage([MONO], 1, 9), {
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-in': '60' },
      }),
    );
    expect(await run([collections()])).toMatchObject({ pages: 1, postponed: 0 });
    expect(await importState(pool, id)).toMatchObject({ state: 'running', cursor: { at: 2, pages: 1 } });
  });

  it('never ends is read up to the page limit', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    upstream.answer(({ query }, response) =>
      jsonResponse(
        response,
        collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 2 ** 31),
      ),
    );
    expect(await run([collections()], { maxPages: 5 })).toMatchObject({ pages: 5, done: 1 });
    expect(await importState(pool, id)).toMatchObject({ state: 'done', items: 5 });
  });

  it('changes its page count and repeats entries is read to its end', async () => {
    const { import: id } = await connectAccount(pool, { service: 'scrobbler', username: 'somebody' });
    const totals = [5, 7, 3];
    upstream.answer(({ query }, response) => {
      const page = pageOf(query);
      const artists = [{ name: 'Mono' }, { name: `Artist ${page}` }];
      jsonResponse(response, chartsPage(artists, page, totals[page - 1] ?? 0));
    });
    expect(await run([listening()])).toMatchObject({ pages: 3, done: 1 });
    expect(await importState(pool, id)).toMatchObject({ items: 4, matched: 1 });
  });

  it('recovers is read on from the failed page', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    upstream.answer(({ query }, response) => {
      if (upstream.asked.length === 2) jsonResponse(response, {}, { status: 502 });
      else jsonResponse(response, collectionPage([MONO], pageOf(query), 2));
    });
    expect(await run([collections()])).toMatchObject({ pages: 2, postponed: 1, done: 1 });
    expect(upstream.asked.map(({ query }) => pageOf(query))).toEqual([1, 2, 2]);
    expect(await importState(pool, id)).toMatchObject({ state: 'done', attempt: 0, failure: null });
  });

  it('fails delays no other service', async () => {
    const { import: broken } = await connectAccount(pool, { service: 'scrobbler', username: 'one' });
    const { import: sound } = await connectAccount(pool, { username: 'two' });
    upstream.answer(({ path }, response) => {
      if (path.startsWith('/users')) jsonResponse(response, collectionPage([MONO], 1, 1));
      else jsonResponse(response, { error: 6, message: 'User not found' });
    });
    expect(await run([listening(), collections()])).toMatchObject({ done: 1, failed: 1 });
    expect(await importState(pool, broken)).toMatchObject({ state: 'failed', failure: 'user_not_found' });
    expect(await importState(pool, sound)).toMatchObject({ state: 'done' });
  });
});

describe('after consecutive failed imports', () => {
  const breaker = { after: 3, firstMs: 10 * HOUR_MS, maxMs: 10 * HOUR_MS };
  const health = async () =>
    (
      await pool.query(
        `select failures, failure, failing_since is not null as failing, free_at > now() + interval '4 h' as apart
         from taste.upstream`,
      )
    ).rows;
  const endBreak = () =>
    pool.query(
      'update taste.upstream set free_at = now(); update taste.import set due_at = least(due_at, now())',
    );
  const connectMany = async (...usernames: readonly string[]): Promise<string[]> => {
    const imports: string[] = [];
    for (const username of usernames) imports.push((await connectAccount(pool, { username })).import);
    return imports;
  };

  it('pauses the service, which costs no import an attempt', async () => {
    const imports = await connectMany('one', 'two', 'three', 'four');
    const lines: string[] = [];
    upstream.answer((_, response) => jsonResponse(response, {}, { status: 502 }));
    const failing = () => run([collections()], { breaker, log: (line) => lines.push(line) });
    expect(await failing()).toEqual({ pages: 0, done: 0, failed: 0, postponed: 3 });
    const failed = [{ failures: 3, failure: 'unavailable', failing: true, apart: true }];
    expect(await health()).toEqual(failed);
    // No requests during the pause.
    expect(await failing()).toMatchObject({ postponed: 0 });
    expect(upstream.asked.length).toBe(3);
    expect(lines.filter((line) => line.includes('are paused')).length).toBe(1);
    for (let outage = 1; outage <= 10; outage++) {
      await endBreak();
      expect(await failing()).toMatchObject({ failed: 0, postponed: 1 });
    }
    expect(await health()).toMatchObject([{ failures: expect.any(Number), apart: true }]);
    upstream.answer(({ query }, response) =>
      jsonResponse(response, collectionPage([MONO], pageOf(query), 1)),
    );
    await endBreak();
    expect(await failing()).toEqual({ pages: 4, done: 4, failed: 0, postponed: 0 });
    expect(await health()).toEqual([{ failures: 0, failure: null, failing: false, apart: false }]);
    for (const id of imports)
      expect(await importState(pool, id)).toMatchObject({ state: 'done', failure: null, attempt: 0 });
  });

  it('never counts strange responses for accounts against the service', async () => {
    const strange = await connectMany('one', 'two', 'three', 'four');
    const [sound = ''] = await connectMany('sound');
    upstream.answer(({ path }, response) => {
      if (path.includes('sound')) jsonResponse(response, collectionPage([MONO], 1, 1));
      else asHtml(response, 200);
    });
    expect(await run([collections()], { breaker })).toEqual({ pages: 1, done: 1, failed: 4, postponed: 8 });
    for (const id of strange)
      expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'bad_answer' });
    expect(await importState(pool, sound)).toMatchObject({ state: 'done' });
    expect(await health()).toMatchObject([{ failures: 0, apart: false }]);
  });

  it('probes the service with an account that worked before', async () => {
    const [worked = ''] = await connectMany('worked');
    upstream.answer((_, response) => jsonResponse(response, collectionPage([MONO], 1, 1)));
    await run([collections()], { breaker });
    const failing = await connectMany('one', 'two', 'three');
    upstream.answer((_, response) => jsonResponse(response, {}, { status: 502 }));
    const runOnce = () => run([collections()], { breaker });
    expect(await runOnce()).toMatchObject({ postponed: 3 });
    upstream.asked.length = 0;
    const users = () => upstream.asked.map(({ path }) => path.split('/')[2]);

    // The service still fails: one request, of the working account, charged to no import.
    await endBreak();
    expect(await runOnce()).toEqual({ pages: 0, done: 0, failed: 0, postponed: 0 });
    expect(users()).toEqual(['worked']);
    expect(await health()).toMatchObject([{ failures: 4, apart: true }]);

    // It works again, but not for the accounts that failed: they are charged, and the service is not.
    upstream.answer(({ path }, response) => {
      if (path.includes('worked')) jsonResponse(response, collectionPage([MONO], 1, 1));
      else asHtml(response, 200);
    });
    await endBreak();
    expect(await runOnce()).toMatchObject({ failed: 3 });
    expect(users()[1]).toBe('worked');
    expect(await health()).toMatchObject([{ failures: 0, apart: false }]);
    for (const id of failing)
      expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'bad_answer' });
    expect(await importState(pool, worked)).toMatchObject({ state: 'done', items: 1 });
  });

  it('does not pause the service if a single import keeps failing', async () => {
    const [poisonous = ''] = await connectMany('poisonous');
    upstream.answer(({ path }, response) => {
      if (path.includes('poisonous')) asHtml(response, 200);
      else jsonResponse(response, collectionPage([MONO], 1, 1));
    });
    expect(await run([collections()], { breaker })).toMatchObject({ failed: 1, postponed: 2 });
    expect(await importState(pool, poisonous)).toMatchObject({ state: 'failed', failure: 'bad_answer' });
    expect(await health()).toMatchObject([{ failures: 0, apart: false }]);
    const [sound = ''] = await connectMany('sound');
    await run([collections()], { breaker });
    expect(await importState(pool, sound)).toMatchObject({ state: 'done' });
  });

  it('counts the attempts of old imports, so that retries end', async () => {
    const imports = await connectMany('one', 'two', 'three');
    await pool.query(`update taste.import set started_at = now() - interval '8 days'`);
    upstream.answer((_, response) => asHtml(response, 403));
    const short = { after: 3, firstMs: 0, maxMs: 0 };
    expect(await run([collections()], { breaker: short })).toMatchObject({ failed: 3, postponed: 6 });
    for (const id of imports)
      expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'refused' });
  });
});

it('starts new imports of one service while another has work', async () => {
  await connectAccount(pool, { username: 'large' });
  let late = '';
  let pages = 0;
  upstream.answer(async ({ path, query }, response) => {
    if (!path.startsWith('/users')) return jsonResponse(response, chartsPage([{ name: 'Mono' }], 1, 1));
    // Connects after the listening service ran idle; the import must finish before the collection ends.
    if (pageOf(query) === 10)
      late = (await connectAccount(pool, { service: 'scrobbler', username: 'late' })).import;
    const isDone = late !== '' && (await importState(pool, late))?.state === 'done';
    pages = pageOf(query);
    jsonResponse(response, collectionPage([MONO], pages, isDone ? pages : pages + 1));
  });
  expect(await run([listening(), collections()], { maxPages: 1_000 })).toMatchObject({ done: 2, failed: 0 });
  expect(pages).toBeLessThan(1_000);
});

it('pauses a service that reports a rate limit in the body', async () => {
  await connectAccount(pool, { service: 'scrobbler', username: 'one' });
  await connectAccount(pool, { service: 'scrobbler', username: 'two' });
  upstream.answer((_, response) => jsonResponse(response, { error: '29', message: 'Rate limit exceeded' }));
  const isPaused = await expectPause(60);
  expect(await run([listening()])).toMatchObject({ postponed: 1, failed: 0 });
  expect(upstream.asked.length).toBe(1);
  expect(await isPaused()).toBe(true);
});

it('leaves no row if the person is erased meanwhile', async () => {
  const { person } = await connectAccount(pool, { username: 'somebody' });
  upstream.answer(async ({ query }, response) => {
    if (pageOf(query) === 2) await pool.query('delete from taste.person where id = $1', [person]);
    jsonResponse(response, collectionPage([MONO], pageOf(query), 3));
  });
  expect(await run([collections()])).toEqual({ pages: 1, done: 0, failed: 0, postponed: 0 });
  expect(upstream.asked.length).toBe(2);
  const { rows } = await pool.query('select from taste.item union all select from taste.match');
  expect(rows).toEqual([]);
});

it('stops waiting for its slot when aborted', async () => {
  await connectAccount(pool, { username: 'somebody' });
  await pool.query(`insert into taste.upstream values ('catalog', now() + interval '14 s')`);
  const slot = async () => (await pool.query('select free_at::text from taste.upstream')).rows[0]?.free_at;
  const before = await slot();
  const ending = new AbortController();
  const running = run([collections()], { signal: ending.signal });
  await expect.poll(slot).not.toBe(before);
  ending.abort(new Error('aborted'));
  await expect(running).rejects.toThrow('aborted');
  expect(upstream.asked).toEqual([]);
});

it('logs neither usernames nor keys', async () => {
  const lines: string[] = [];
  await connectAccount(pool, { service: 'scrobbler', username: 'veryprivate' });
  await connectAccount(pool, { username: 'veryprivate' });
  const secret = charts({ ...own(), key: 'verysecret' });
  upstream.answer(({ path }, response) => {
    if (path.startsWith('/users')) jsonResponse(response, collectionPage([MONO], 1, 1));
    else response.destroy();
  });
  await run([secret, collections()], { log: (line) => lines.push(line) });
  expect(lines.length).toBe(4);
  expect(lines.join('')).not.toMatch(/veryprivate|verysecret|127\.0\.0\.1/);
});
