import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { artistProjection } from '../../projections/artist/project.ts';
import { identityProjection } from '../../projections/identity/project.ts';
import { previewProjection } from '../../projections/preview/project.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { artistMomentum } from '../../projections/sources/seen/artist-momentum.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import type { QueryParts } from './parts.ts';

const { pool } = withDatabase();
const ARTIST = `/api/v2/artist/${CLUSTER}`;
const TOPIC = 'producers.seen.artist_momentum';
const apps: FastifyInstance[] = [];
let registry: Registry;
let key: { 'x-api-key': string };

beforeAll(async () => {
  registry = await registerSources(pool);
  await fillMirror(pool, registry, [rowsOf(artistMomentum, {})]);
  for (const projection of [artistProjection, identityProjection, previewProjection])
    await rebuild(pool, projection, registry);
  await pool.query(`insert into ingest.position values ('g', $1, 0, 10), ('h', $1, 0, 3)`, [TOPIC]);
  key = await keyHeader(pool);
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  vi.restoreAllMocks();
});

async function open(changed: Partial<QueryParts> = {}): Promise<FastifyInstance> {
  const app = await queryApp(pool, changed);
  apps.push(app);
  return app;
}

/** Tells whether positions were looked for since. */
function watchLooks(): () => boolean {
  const spy = vi.spyOn(pool, 'query');
  return () => spy.mock.calls.some(([query]) => (query as { name?: string }).name === 'look-for-positions');
}

/** The seconds that a stale answer says were waited; NaN for any other answer. */
const waitedOf = ({ headers }: LightMyRequestResponse): number =>
  Number(/^stale; waited=(\d+\.\d)$/.exec(String(headers['x-linernotes-freshness']))?.[1]);

/** Headers of a request that waits for a position of the one topic. */
const atLeast = (offset: number, wait = '0.05') => ({
  ...key,
  'x-linernotes-at-least': `${TOPIC}:0:${offset}`,
  'x-linernotes-wait': wait,
});

describe('an answer to a reader who names a position', () => {
  it('says that it shows it', async () => {
    const app = await open();
    const answer = await app.inject({ url: ARTIST, headers: atLeast(9, '10') });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['x-linernotes-freshness']).toBe('fresh');
    expect(answer.json()).toMatchObject({ cluster_id: CLUSTER, emergence: { state: 'present' } });
    expect(answer.headers['access-control-expose-headers']).toContain('X-Linernotes-Freshness');
  });

  it('comes all the same where it does not show it in time, and says how long was waited', async () => {
    const app = await open();
    const answer = await app.inject({ url: ARTIST, headers: atLeast(10, '0.2') });
    expect(answer.statusCode).toBe(200);
    expect(waitedOf(answer)).toBeGreaterThanOrEqual(0.2);
    expect(answer.json()).toMatchObject({ cluster_id: CLUSTER });
    const several = { ...atLeast(0), 'x-linernotes-at-least': `${TOPIC}:0:9, other:0:0` };
    expect(waitedOf(await app.inject({ url: ARTIST, headers: several }))).toBeLessThan(5);
  });

  it('comes as soon as it shows it', async () => {
    const app = await open();
    const looked = watchLooks();
    const waiting = app.inject({
      url: ARTIST,
      headers: { ...atLeast(0, '10'), 'x-linernotes-at-least': 'soon:2:0' },
    });
    await vi.waitUntil(looked);
    await pool.query(`insert into ingest.position values ('g', 'soon', 2, 1)`);
    expect((await waiting).headers['x-linernotes-freshness']).toBe('fresh');
  });

  it('says that it will not show what was refused, without waiting for it', async () => {
    await pool.query(
      `insert into ingest.dead_letter (topic, partition, record_offset, headers, violations, class)
       values ($1, 0, 5, '{}', '[]', 'contract')`,
      [TOPIC],
    );
    const answer = await (await open()).inject({ url: ARTIST, headers: atLeast(5, '10') });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['x-linernotes-freshness']).toMatch(/^stale; waited=\d\.\d; refused$/);
  });

  it('is the same in HEAD, without a body', async () => {
    const app = await open();
    const answer = await app.inject({ method: 'HEAD', url: ARTIST, headers: atLeast(9) });
    expect([answer.statusCode, answer.headers['x-linernotes-freshness'], answer.body]).toEqual([
      200,
      'fresh',
      '',
    ]);
  });

  it('may be that nothing has changed', async () => {
    const app = await open();
    const { etag } = (await app.inject({ url: ARTIST, headers: key })).headers;
    const answer = await app.inject({
      url: ARTIST,
      headers: { ...atLeast(9), 'if-none-match': String(etag) },
    });
    expect([answer.statusCode, answer.headers['x-linernotes-freshness']]).toEqual([304, 'fresh']);
  });
});

describe('what is malformed', () => {
  it.each([
    ['X-Linernotes-At-Least', 'nonsense', 'must be topic:partition:offset, several separated by commas'],
    ['X-Linernotes-At-Least', '', 'must be topic:partition:offset, several separated by commas'],
    ['X-Linernotes-At-Least', `${'t:0:1,'.repeat(8)}t:0:1`, 'must name at most 8 positions'],
    ['X-Linernotes-Wait', '11', 'must be seconds from 0 to 10'],
    ['X-Linernotes-Wait', '-1', 'must be seconds from 0 to 10'],
    ['X-Linernotes-Wait', 'soon', 'must be seconds from 0 to 10'],
  ])('is refused by name: %s: %s', async (name, value, message) => {
    const app = await open();
    const answer = await app.inject({ url: ARTIST, headers: { ...atLeast(9), [name.toLowerCase()]: value } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      error: 'invalid_query',
      param: name,
      details: [{ path: name, message }],
    });
    expect(answer.headers['x-linernotes-freshness']).toBeUndefined();
  });
});

describe('what a position costs', () => {
  it('is nothing where none is named', async () => {
    const app = await open({
      watchPool: new Proxy(pool, { get: () => expect.unreachable('asked the database') }),
    });
    const answer = await app.inject({ url: ARTIST, headers: { ...key, 'x-linernotes-wait': 'nonsense' } });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['x-linernotes-freshness']).toBeUndefined();
  });

  it.each(['/api/v2', '/api/v2/preview/artist?q=nobody'])('is nothing without a key: %s', async (url) => {
    const app = await open({
      watchPool: new Proxy(pool, { get: () => expect.unreachable('asked the database') }),
    });
    const { 'x-api-key': _, ...anonymous } = atLeast(99, '10');
    for (const headers of [
      anonymous,
      { ...anonymous, 'x-linernotes-at-least': 'nonsense' },
      { ...anonymous, 'x-linernotes-wait': '99' },
      // A public route looks at no key.
      atLeast(99, '10'),
    ]) {
      const answer = await app.inject({ url, headers });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['x-linernotes-freshness']).toBeUndefined();
    }
  });

  it('is nothing to those who may not read', async () => {
    const app = await open({
      watchPool: new Proxy(pool, { get: () => expect.unreachable('asked the database') }),
    });
    const { 'x-api-key': _, ...anonymous } = atLeast(9);
    expect((await app.inject({ url: ARTIST, headers: anonymous })).statusCode).toBe(401);
  });
});
