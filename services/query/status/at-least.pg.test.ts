import { afterEach, describe, expect, it, vi } from 'vitest';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { previewProjection } from '../../../projections/models/preview/project.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';

const ARTIST = `/api/v2/artist/${CLUSTER}`;
const TOPIC = 'producers.seen.artist_momentum';
const { pool, open, key } = withQueryService({
  rows: [rowsOf(artistMomentum, {})],
  projections: [artistProjection, identityProjection, previewProjection],
  fill: (pool) => pool.query(`insert into ingest.position values ('g', $1, 0, 10), ('h', $1, 0, 3)`, [TOPIC]),
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Resolves when the service polls the database for positions. */
function nextPoll(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
  const spy = vi.spyOn(pool, 'query').mockImplementation(((...given: unknown[]) => {
    if ((given[0] as { name?: string }).name === 'poll-positions') {
      spy.mockRestore();
      resolve();
    }
    return query(...given);
  }) as never);
  return promise;
}

/** Only the test advances the clock of waits. */
const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });

/** Headers of a request that waits for a position of the one topic. */
const atLeast = (offset: number, wait = '0.05') => ({
  ...key(),
  'x-linernotes-at-least': `${TOPIC}:0:${offset}`,
  'x-linernotes-wait': wait,
});

describe('a response to a request with a position', () => {
  it('is fresh if the position is visible', async () => {
    const app = await open();
    const response = await app.inject({ url: ARTIST, headers: atLeast(9, '10') });
    expect(response.statusCode).toBe(200);
    expect(response.headers['x-linernotes-freshness']).toBe('fresh');
    expect(response.json()).toMatchObject({ cluster_id: CLUSTER, emergence: { state: 'present' } });
    expect(response.headers['access-control-expose-headers']).toContain('X-Linernotes-Freshness');
  });

  it('is sent without it after the wait, with the time waited', async () => {
    const app = await open();
    stopClock();
    const several = {
      ...atLeast(0, '0.2'),
      'x-linernotes-at-least': `${TOPIC}:0:9, other.seen.festival:0:0`,
    };
    for (const headers of [atLeast(10, '0.2'), several]) {
      const polled = nextPoll();
      const waiting = app.inject({ url: ARTIST, headers });
      await polled;
      vi.advanceTimersByTime(200);
      const response = await waiting;
      expect(response.statusCode).toBe(200);
      expect(response.headers['x-linernotes-freshness']).toBe('stale; waited=0.2');
      expect(response.json()).toMatchObject({ cluster_id: CLUSTER });
    }
  });

  it('is sent as soon as the position is visible', async () => {
    const app = await open();
    stopClock();
    const polled = nextPoll();
    const waiting = app.inject({
      url: ARTIST,
      headers: { ...atLeast(0, '10'), 'x-linernotes-at-least': 'soon.seen.festival:2:0' },
    });
    await polled;
    await pool.query(`insert into ingest.position values ('g', 'soon.seen.festival', 2, 1)`);
    expect((await waiting).headers['x-linernotes-freshness']).toBe('fresh');
  });

  it('reports a position that was rejected, without waiting', async () => {
    await pool.query(
      `insert into ingest.dead_letter (topic, partition, record_offset, headers, violations, class)
       values ($1, 0, 5, '{}', '[]', 'contract')`,
      [TOPIC],
    );
    const app = await open();
    stopClock();
    const response = await app.inject({ url: ARTIST, headers: atLeast(5, '10') });
    expect(response.statusCode).toBe(200);
    expect(response.headers['x-linernotes-freshness']).toBe('stale; waited=0.0; refused');
  });

  it('is the same for HEAD, without a body', async () => {
    const app = await open();
    const response = await app.inject({ method: 'HEAD', url: ARTIST, headers: atLeast(9) });
    expect([response.statusCode, response.headers['x-linernotes-freshness'], response.body]).toEqual([
      200,
      'fresh',
      '',
    ]);
  });

  it('may be 304', async () => {
    const app = await open();
    const { etag } = (await app.inject({ url: ARTIST, headers: key() })).headers;
    const response = await app.inject({
      url: ARTIST,
      headers: { ...atLeast(9), 'if-none-match': String(etag) },
    });
    expect([response.statusCode, response.headers['x-linernotes-freshness']]).toEqual([304, 'fresh']);
  });
});

describe('malformed headers', () => {
  it.each([
    [
      'X-Linernotes-At-Least',
      'nonsense',
      'must be topic:partition:offset, TABLE@LSN or TABLE@TXID, several separated by commas',
    ],
    [
      'X-Linernotes-At-Least',
      '',
      'must be topic:partition:offset, TABLE@LSN or TABLE@TXID, several separated by commas',
    ],
    ['X-Linernotes-At-Least', `${'t:0:1,'.repeat(8)}t:0:1`, 'must name at most 8 positions'],
    ['X-Linernotes-At-Least', 'seen.nothing@7', 'names seen.nothing, which is no table of a source'],
    [
      'X-Linernotes-At-Least',
      'producers.seen.typo:0:1',
      'names the topic producers.seen.typo, which no source has and no consumer has read',
    ],
    ['X-Linernotes-Wait', '11', 'must be seconds from 0 to 10'],
    ['X-Linernotes-Wait', '-1', 'must be seconds from 0 to 10'],
    ['X-Linernotes-Wait', 'soon', 'must be seconds from 0 to 10'],
  ])('are rejected by name: %s: %s', async (name, value, message) => {
    const app = await open();
    const response = await app.inject({
      url: ARTIST,
      headers: { ...atLeast(9), [name.toLowerCase()]: value },
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      error: 'invalid_query',
      param: name,
      details: [{ path: name, message }],
    });
    expect(response.headers['x-linernotes-freshness']).toBeUndefined();
  });
});

describe('the cost of a position', () => {
  it('is none without the header', async () => {
    const app = await open({
      watchPool: new Proxy(pool, { get: () => expect.unreachable('queried the database') }),
    });
    const response = await app.inject({
      url: ARTIST,
      headers: { ...key(), 'x-linernotes-wait': 'nonsense' },
    });
    expect(response.statusCode).toBe(200);
    expect(response.headers['x-linernotes-freshness']).toBeUndefined();
  });

  it.each(['/api/v2', '/api/v2/preview/artist?q=nobody'])('is none without an API key: %s', async (url) => {
    const app = await open({
      watchPool: new Proxy(pool, { get: () => expect.unreachable('queried the database') }),
    });
    const { 'x-api-key': _, ...anonymous } = atLeast(99, '10');
    for (const headers of [
      anonymous,
      { ...anonymous, 'x-linernotes-at-least': 'nonsense' },
      { ...anonymous, 'x-linernotes-wait': '99' },
      // A public route does not read the key.
      atLeast(99, '10'),
    ]) {
      const response = await app.inject({ url, headers });
      expect(response.statusCode).toBe(200);
      expect(response.headers['x-linernotes-freshness']).toBeUndefined();
    }
  });

  it('is none for requests that may not read', async () => {
    const app = await open({
      watchPool: new Proxy(pool, { get: () => expect.unreachable('queried the database') }),
    });
    const { 'x-api-key': _, ...anonymous } = atLeast(9);
    expect((await app.inject({ url: ARTIST, headers: anonymous })).statusCode).toBe(401);
  });
});
