import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { identityProjection } from '../../projections/identity/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../projections/sources/seen/performing-entity.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { connectAccount, importState, itemsOf, matchesOf } from '../../test/taste-rows.ts';
import { chartsPage, collectionPage, json, statisticsPage, withUpstream } from '../../test/taste-upstream.ts';
import { rebuild } from '../project/build-version.ts';
import { catalog } from './catalog.ts';
import { charts } from './charts.ts';
import { runImports } from './run-imports.ts';
import { statistics } from './statistics.ts';
import type { Upstream } from './upstream.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const THIRD_CLUSTER = '0a'.repeat(32);
/** Poll of a condition; nothing depends on its length. */
const LOOK_MS = 5;

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

/** Tries again at once, three times. */
const tries = { first: 0, most: 0, attempts: 3 };
const HASTE = { unavailable: tries, bad_answer: tries, not_computed: tries, refused: tries };
const NO_BREAKS = { after: 1_000, first: 0, most: 0 };
const MINUTE_MS = 60_000;

interface RunOptions {
  readonly mostPages?: number;
  readonly signal?: AbortSignal;
  readonly log?: (line: string) => void;
  readonly breaks?: { readonly after: number; readonly first: number; readonly most: number };
}

const run = (
  upstreams: readonly Upstream[],
  {
    mostPages = 50,
    signal = new AbortController().signal,
    log = () => {},
    breaks = NO_BREAKS,
  }: RunOptions = {},
) =>
  runImports({
    pool,
    log: pino({ level: 'trace' }, { write: log }),
    upstreams,
    mostPages,
    runMs: 60_000,
    signal,
    patience: HASTE,
    breaks,
    lookMs: LOOK_MS,
    limits: { budgetMs: 2_000, mostBytes: 1_000_000 },
  });

const MONO = { id: CATALOG_ID, name: 'Mono' };
const OBSERVED = { id: 8, name: 'Observed (3)' };
const UNHEARD = { id: 9, name: 'Unheard' };

const pageOf = (query: URLSearchParams): number => Number(query.get('page'));

describe('an import', () => {
  it('reads all pages of a collection, and matches what is known', async () => {
    const connected = await connectAccount(pool, { username: 'some body' });
    const pages = [[MONO, UNHEARD], [OBSERVED, MONO], [{ id: 194, name: 'Various' }]];
    upstream.answer(({ query }, response) =>
      json(response, collectionPage(pages[pageOf(query) - 1] ?? [], pageOf(query), 3)),
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
      json(response, chartsPage([{ name: 'Anything', mbid: MBID }, { name: 'mono' }], pageOf(query), 1)),
    );
    expect(await run([listening()])).toMatchObject({ done: 1 });
    const second = await connectAccount(pool, { service: 'scrobbler', username: 'two' });
    const all = [{ name: 'Wax' }, { name: 'Observed' }, { name: 'Mono', mbid: MBID }];
    upstream.answer(({ query }, response) => {
      const offset = Number(query.get('offset'));
      json(response, statisticsPage(all.slice(offset, offset + 2), offset, 3));
    });
    expect(await run([statistics({ ...own(), key: null })])).toMatchObject({ done: 1, pages: 2 });
    expect(await matchesOf(pool, first.account)).toEqual({ [OTHER_CLUSTER]: 'mbid', [CLUSTER]: 'name' });
    // By the surest of the two ways that lead there.
    expect(await matchesOf(pool, second.account)).toEqual({
      [OTHER_CLUSTER]: 'mbid',
      [THIRD_CLUSTER]: 'name',
    });
    expect(await importState(pool, second.import)).toMatchObject({ items: 3, matched: 3 });
  });

  it('done twice leaves the same rows, and drops what is no longer there', async () => {
    const { account, person } = await connectAccount(pool, { username: 'somebody' });
    const give = (...artists: { id: number; name: string }[]) =>
      upstream.answer((_, response) => json(response, collectionPage(artists, 1, 1)));
    const again = async () => {
      await connectAccount(pool, { username: 'somebody', person, consumer: `app ${Math.random()}` });
      await run([collections()]);
    };
    give(MONO, UNHEARD);
    await run([collections()]);
    const rows = async () => [await itemsOf(pool, account), await matchesOf(pool, account)];
    const before = await rows();
    await again();
    expect(await rows()).toEqual(before);
    give(OBSERVED);
    await again();
    expect(await rows()).toEqual([['Observed (3) 8'], { [THIRD_CLUSTER]: 'name' }]);
  });

  it('goes on at the next page when it was killed', async () => {
    const { import: id, account } = await connectAccount(pool, { username: 'somebody' });
    const killing = new AbortController();
    upstream.answer(({ query }, response) => {
      if (pageOf(query) === 3) killing.abort(new Error('killed'));
      else json(response, collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 4));
    });
    await expect(run([collections()], { signal: killing.signal })).rejects.toThrow('killed');
    expect(await importState(pool, id)).toMatchObject({
      state: 'running',
      items: 2,
      cursor: { at: 3, pages: 2 },
    });
    upstream.asked.length = 0;
    upstream.answer(({ query }, response) =>
      json(response, collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 4)),
    );
    await run([collections()]);
    expect(upstream.asked.map(({ query }) => pageOf(query))).toEqual([3, 4]);
    expect((await itemsOf(pool, account)).length).toBe(4);
    expect(await importState(pool, id)).toMatchObject({ state: 'done', items: 4 });
  });

  it('of one waits for no other: each page goes to who has waited longest', async () => {
    for (const username of ['large', 'small']) await connectAccount(pool, { username });
    upstream.answer(({ path, query }, response) =>
      json(response, collectionPage([MONO], pageOf(query), path.includes('large') ? 4 : 2)),
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

  it('keeps to the pace of the service, whoever asks', async () => {
    for (let n = 0; n < 4; n++) await connectAccount(pool, { username: `user ${n}` });
    const times: number[] = [];
    upstream.answer((_, response) => {
      times.push(performance.now());
      json(response, collectionPage([MONO], 1, 1));
    });
    const startedAt = performance.now();
    const slow = { ...collections(), intervalMs: 60 };
    await Promise.all([run([slow]), run([slow])]);
    expect(times.length).toBeGreaterThanOrEqual(4);
    // A timer may be a little early; however late it is, none comes before its turn.
    const early = times.filter((time, index) => time - startedAt < index * 60 - 5);
    expect(early).toEqual([]);
  });

  it('is saved once, though two read it at once', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    upstream.answer(async ({ query }, response) => {
      if (pageOf(query) === 1) {
        if (++waiting === 2) both.resolve();
        await both.promise;
      }
      json(response, collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 2));
    });
    const [one, other] = await Promise.all([run([collections()]), run([collections()])]);
    expect([one.pages + other.pages, one.done + other.done]).toEqual([2, 1]);
    expect(await importState(pool, id)).toMatchObject({ state: 'done', items: 2 });
  });
});

describe('a service that is not set up', () => {
  it('fails imports, which begin when it is', async () => {
    const { import: id, account } = await connectAccount(pool, { username: 'somebody' });
    expect(await run([])).toEqual({ pages: 0, done: 0, failed: 1, postponed: 0 });
    expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'not_configured' });
    expect(await run([listening()])).toMatchObject({ failed: 0 });
    upstream.answer((_, response) => json(response, collectionPage([MONO], 1, 1)));
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
    ['nobody by that name', 404, 'User does not exist or may have been deleted.', 'user_not_found'],
    ['a private collection', 403, 'You are not allowed to view this resource.', 'private'],
  ])('at once for %s', async (_, status, message, failure) => {
    const outcome = await failing((response) => json(response, { message }, { status }));
    expect(outcome).toMatchObject({ counts: { failed: 1, postponed: 0 }, asked: 1 });
    expect(outcome.import).toMatchObject({ state: 'failed', failure, cursor: null });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), 'bad_answer'],
    ['wrong types', (response) => json(response, { pagination: { pages: [] }, releases: 7 }), 'bad_answer'],
    ['redirects', (response) => response.writeHead(302, { location: '/users' }).end(), 'bad_answer'],
    ['far too much', (response) => json(response, { a: ' '.repeat(2_000_000) }), 'bad_answer'],
    ['errors', (response) => json(response, {}, { status: 500 }), 'unavailable'],
    ['a broken connection', (response) => response.destroy(), 'unavailable'],
    ['a page that asks who is there', (response) => asHtml(response, 403), 'refused'],
    ['an address that leads nowhere', (response) => asHtml(response, 404), 'bad_answer'],
  ])('after some tries of %s', async (_, answer, failure) => {
    const outcome = await failing(answer);
    expect(outcome).toMatchObject({ counts: { failed: 1, postponed: 2 }, asked: 3 });
    expect(outcome.import).toMatchObject({ state: 'failed', failure });
  });

  it('in time where statistics are never worked out', async () => {
    const outcome = await failing(
      (response) => response.writeHead(204).end(),
      [statistics({ ...own(), key: null })],
    );
    expect(outcome).toMatchObject({ asked: 3, import: { state: 'failed', failure: 'not_computed' } });
  });

  it('after some tries with a key that is refused, which the log warns of', async () => {
    const lines: string[] = [];
    await connectAccount(pool, { service: 'scrobbler', username: 'somebody' });
    upstream.answer((_, response) =>
      json(response, { error: 10, message: 'Invalid API key' }, { status: 403 }),
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

  it('without being asked for by a name of dots', async () => {
    const { import: id } = await connectAccount(pool, { username: '..' });
    await run([collections()]);
    expect(upstream.asked).toEqual([]);
    expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'user_not_found' });
  });
});

describe('a service that', () => {
  it('storms with 429 is left alone for as long as it says, by all', async () => {
    const first = await connectAccount(pool, { username: 'one' });
    await connectAccount(pool, { username: 'two' });
    upstream.answer((_, response) =>
      json(response, { message: 'too many' }, { status: 429, headers: { 'retry-after': '600' } }),
    );
    expect(await run([collections()])).toMatchObject({ postponed: 1, failed: 0 });
    expect(await run([collections()])).toMatchObject({ pages: 0, postponed: 0 });
    expect(upstream.asked.length).toBe(1);
    expect(await importState(pool, first.import)).toMatchObject({
      state: 'queued',
      failure: 'unavailable',
      attempt: 1,
    });
    const { rows } = await pool.query(
      `select round(extract(epoch from free_at - now()) / 60)::int as minutes from taste.upstream`,
    );
    expect(rows).toEqual([{ minutes: 10 }]);
  });

  it('says that nothing is left is left alone after the page that it gave', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    upstream.answer((_, response) =>
      json(response, collectionPage([MONO], 1, 9), {
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-in': '60' },
      }),
    );
    expect(await run([collections()])).toMatchObject({ pages: 1, postponed: 0 });
    expect(await importState(pool, id)).toMatchObject({ state: 'running', cursor: { at: 2, pages: 1 } });
  });

  it('never ends is read so far and no further', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    upstream.answer(({ query }, response) =>
      json(response, collectionPage([{ id: pageOf(query), name: 'An artist' }], pageOf(query), 2 ** 31)),
    );
    expect(await run([collections()], { mostPages: 5 })).toMatchObject({ pages: 5, done: 1 });
    expect(await importState(pool, id)).toMatchObject({ state: 'done', items: 5 });
  });

  it('changes its mind about the number of pages, and repeats itself, is read to its end', async () => {
    const { import: id } = await connectAccount(pool, { service: 'scrobbler', username: 'somebody' });
    const totals = [5, 7, 3];
    upstream.answer(({ query }, response) => {
      const page = pageOf(query);
      const artists = [{ name: 'Mono' }, { name: `Artist ${page}` }];
      json(response, chartsPage(artists, page, totals[page - 1] ?? 0));
    });
    expect(await run([listening()])).toMatchObject({ pages: 3, done: 1 });
    expect(await importState(pool, id)).toMatchObject({ items: 4, matched: 1 });
  });

  it('mends itself is asked on from where it failed', async () => {
    const { import: id } = await connectAccount(pool, { username: 'somebody' });
    upstream.answer(({ query }, response) => {
      if (upstream.asked.length === 2) json(response, {}, { status: 502 });
      else json(response, collectionPage([MONO], pageOf(query), 2));
    });
    expect(await run([collections()])).toMatchObject({ pages: 2, postponed: 1, done: 1 });
    expect(upstream.asked.map(({ query }) => pageOf(query))).toEqual([1, 2, 2]);
    expect(await importState(pool, id)).toMatchObject({ state: 'done', attempt: 0, failure: null });
  });

  it('fails holds up no other', async () => {
    const { import: broken } = await connectAccount(pool, { service: 'scrobbler', username: 'one' });
    const { import: sound } = await connectAccount(pool, { username: 'two' });
    upstream.answer(({ path }, response) => {
      if (path.startsWith('/users')) json(response, collectionPage([MONO], 1, 1));
      else json(response, { error: 6, message: 'User not found' });
    });
    expect(await run([listening(), collections()])).toMatchObject({ done: 1, failed: 1 });
    expect(await importState(pool, broken)).toMatchObject({ state: 'failed', failure: 'user_not_found' });
    expect(await importState(pool, sound)).toMatchObject({ state: 'done' });
  });
});

describe('where one import after another fails', () => {
  const breaks = { after: 3, first: 10 * MINUTE_MS, most: 10 * MINUTE_MS };
  const health = async () =>
    (
      await pool.query(
        `select failures, failure, failing_since is not null as failing, free_at > now() + interval '4 min' as apart
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

  it('leaves the service alone, which costs no import a try', async () => {
    const imports = await connectMany('one', 'two', 'three', 'four');
    const lines: string[] = [];
    upstream.answer((_, response) => json(response, {}, { status: 502 }));
    const failing = () => run([collections()], { breaks, log: (line) => lines.push(line) });
    expect(await failing()).toEqual({ pages: 0, done: 0, failed: 0, postponed: 3 });
    const failed = [{ failures: 3, failure: 'unavailable', failing: true, apart: true }];
    expect(await health()).toEqual(failed);
    // Nobody asks meanwhile.
    expect(await failing()).toMatchObject({ postponed: 0 });
    expect(upstream.asked.length).toBe(3);
    expect(lines.filter((line) => line.includes('left alone')).length).toBe(1);
    for (let outage = 1; outage <= 10; outage++) {
      await endBreak();
      expect(await failing()).toMatchObject({ failed: 0, postponed: 1 });
    }
    expect(await health()).toMatchObject([{ failures: expect.any(Number), apart: true }]);
    upstream.answer(({ query }, response) => json(response, collectionPage([MONO], pageOf(query), 1)));
    await endBreak();
    expect(await failing()).toEqual({ pages: 4, done: 4, failed: 0, postponed: 0 });
    expect(await health()).toEqual([{ failures: 0, failure: null, failing: false, apart: false }]);
    for (const id of imports)
      expect(await importState(pool, id)).toMatchObject({ state: 'done', failure: null, attempt: 0 });
  });

  it('does not blame the service for one that fails again and again by itself', async () => {
    const [poisonous = ''] = await connectMany('poisonous');
    upstream.answer(({ path }, response) => {
      if (path.includes('poisonous')) asHtml(response, 200);
      else json(response, collectionPage([MONO], 1, 1));
    });
    expect(await run([collections()], { breaks })).toMatchObject({ failed: 1, postponed: 2 });
    expect(await importState(pool, poisonous)).toMatchObject({ state: 'failed', failure: 'bad_answer' });
    expect(await health()).toMatchObject([{ failures: 1, apart: false }]);
    const [sound = ''] = await connectMany('sound');
    await run([collections()], { breaks });
    expect(await importState(pool, sound)).toMatchObject({ state: 'done' });
  });

  it('charges them for it in the end, so that none is tried for ever', async () => {
    const imports = await connectMany('one', 'two', 'three');
    await pool.query(`update taste.import set started_at = now() - interval '8 days'`);
    upstream.answer((_, response) => asHtml(response, 403));
    const short = { after: 3, first: 0, most: 0 };
    expect(await run([collections()], { breaks: short })).toMatchObject({ failed: 3, postponed: 6 });
    for (const id of imports)
      expect(await importState(pool, id)).toMatchObject({ state: 'failed', failure: 'refused' });
  });
});

it('takes up what comes for one service while another has work', async () => {
  await connectAccount(pool, { username: 'large' });
  let late = '';
  let pages = 0;
  upstream.answer(async ({ path, query }, response) => {
    if (!path.startsWith('/users')) return json(response, chartsPage([{ name: 'Mono' }], 1, 1));
    // Connected when the listening service has had nothing to do for a while; read before the collection ends.
    if (pageOf(query) === 10)
      late = (await connectAccount(pool, { service: 'scrobbler', username: 'late' })).import;
    const isDone = late !== '' && (await importState(pool, late))?.state === 'done';
    pages = pageOf(query);
    json(response, collectionPage([MONO], pages, isDone ? pages : pages + 1));
  });
  expect(await run([listening(), collections()], { mostPages: 1_000 })).toMatchObject({ done: 2, failed: 0 });
  expect(pages).toBeLessThan(1_000);
});

it('leaves a service alone that says so in a body', async () => {
  await connectAccount(pool, { service: 'scrobbler', username: 'one' });
  await connectAccount(pool, { service: 'scrobbler', username: 'two' });
  upstream.answer((_, response) => json(response, { error: '29', message: 'Rate limit exceeded' }));
  expect(await run([listening()])).toMatchObject({ postponed: 1, failed: 0 });
  expect(upstream.asked.length).toBe(1);
  const { rows } = await pool.query(
    'select round(extract(epoch from free_at - now()))::int between 50 and 60 as held from taste.upstream',
  );
  expect(rows).toEqual([{ held: true }]);
});

it('ends without a row where the person is erased meanwhile', async () => {
  const { person } = await connectAccount(pool, { username: 'somebody' });
  upstream.answer(async ({ query }, response) => {
    if (pageOf(query) === 2) await pool.query('delete from taste.person where id = $1', [person]);
    json(response, collectionPage([MONO], pageOf(query), 3));
  });
  expect(await run([collections()])).toEqual({ pages: 1, done: 0, failed: 0, postponed: 0 });
  expect(upstream.asked.length).toBe(2);
  const { rows } = await pool.query('select from taste.item union all select from taste.match');
  expect(rows).toEqual([]);
});

it('waits for no slot when it is told to end', async () => {
  await connectAccount(pool, { username: 'somebody' });
  await pool.query(`insert into taste.upstream values ('catalog', now() + interval '14 s')`);
  const slot = async () => (await pool.query('select free_at::text from taste.upstream')).rows[0]?.free_at;
  const before = await slot();
  const ending = new AbortController();
  const running = run([collections()], { signal: ending.signal });
  while ((await slot()) === before) await pause(LOOK_MS);
  ending.abort(new Error('told to end'));
  await expect(running).rejects.toThrow('told to end');
  expect(upstream.asked).toEqual([]);
});

it('logs neither usernames nor keys', async () => {
  const lines: string[] = [];
  await connectAccount(pool, { service: 'scrobbler', username: 'veryprivate' });
  await connectAccount(pool, { username: 'veryprivate' });
  const secret = charts({ ...own(), key: 'verysecret' });
  upstream.answer(({ path }, response) => {
    if (path.startsWith('/users')) json(response, collectionPage([MONO], 1, 1));
    else response.destroy();
  });
  await run([secret, collections()], { log: (line) => lines.push(line) });
  expect(lines.length).toBe(4);
  expect(lines.join('')).not.toMatch(/veryprivate|verysecret|127\.0\.0\.1/);
});
