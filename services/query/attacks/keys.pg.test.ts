import type { FastifyInstance } from 'fastify';
import { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { keyHeader, queryApp } from '../../../test/support/query/app.ts';
import { withDatabase } from '../../../test/support/services/database.ts';

/** Lengths of the values compared in constant time. */
const compared = vi.hoisted(() => [] as [number, number][]);
vi.mock('node:crypto', async (original) => {
  const actual = await original<typeof import('node:crypto')>();
  const timingSafeEqual = (a: NodeJS.ArrayBufferView, b: NodeJS.ArrayBufferView): boolean => {
    compared.push([a.byteLength, b.byteLength]);
    return actual.timingSafeEqual(a, b);
  };
  return { ...actual, default: { ...actual, timingSafeEqual }, timingSafeEqual };
});

const DIGEST_BYTES = 32;
const { pool, url } = withDatabase();
const queries: string[] = [];
let app: FastifyInstance;

beforeAll(async () => {
  const accessPool = new Pool({ connectionString: url });
  const query = accessPool.query.bind(accessPool) as (...given: unknown[]) => unknown;
  Object.assign(accessPool, {
    query: (...given: unknown[]) => {
      queries.push(JSON.stringify((given[0] as { text?: string }).text ?? given[0]));
      return query(...given);
    },
  });
  app = await queryApp(pool, { accessPool });
  app.addHook('onClose', () => accessPool.end());
});
beforeEach(() => {
  compared.length = 0;
  queries.length = 0;
});
afterAll(() => app.close());

interface Traces {
  readonly body: string;
  readonly compared: readonly (readonly [number, number])[];
  readonly queries: readonly string[];
}

/** The traces of a key whose digest differs from the stored one in the byte at `index`. */
async function tracesOf(index: number): Promise<Traces> {
  const headers = await keyHeader(pool);
  const id = headers['x-api-key'].slice('ln_test_'.length, 'ln_test_'.length + 10);
  await pool.query(
    'update access.api_key set digest = set_byte(digest, $2, get_byte(digest, $2) # 255) where id = $1',
    [id, index],
  );
  compared.length = 0;
  queries.length = 0;
  const rejected = await app.inject({ url: '/api/v2/usage', headers });
  expect(rejected.statusCode).toBe(401);
  return { body: rejected.body, compared: [...compared], queries: [...queries] };
}

it('a wrong key is compared in full, wherever it first differs', async () => {
  const [first, middle, last] = [await tracesOf(0), await tracesOf(15), await tracesOf(DIGEST_BYTES - 1)];
  expect(first.compared).toEqual([[DIGEST_BYTES, DIGEST_BYTES]]);
  expect(first.queries).toHaveLength(1);
  expect(middle).toEqual(first);
  expect(last).toEqual(first);
});

it('unknown, wrong and revoked keys get the same response', async () => {
  const bodyOf = async (change: string): Promise<string> => {
    const headers = await keyHeader(pool);
    const id = headers['x-api-key'].slice('ln_test_'.length, 'ln_test_'.length + 10);
    await pool.query(`${change} where id = $1`, [id]);
    return (await app.inject({ url: '/api/v2/usage', headers })).body;
  };
  const wrong = await tracesOf(0);
  expect(await bodyOf('delete from access.api_key')).toBe(wrong.body);
  expect(await bodyOf('update access.api_key set revoked_at = now()')).toBe(wrong.body);
});

it('a malformed key is rejected without a query or a comparison', async () => {
  for (const text of ['x', 'ln_test_', `ln_test_${'a'.repeat(48)}`, 'ln_live_'.padEnd(5_000, 'a'), 'é']) {
    const rejected = await app.inject({ url: '/api/v2/usage', headers: { 'x-api-key': text } });
    expect(rejected.json().error).toBe('invalid_api_key');
  }
  expect([compared, queries]).toEqual([[], []]);
});

it('a cached key is compared in full too', async () => {
  const headers = await keyHeader(pool);
  for (const _time of [1, 2]) await app.inject({ url: '/api/v2/usage', headers });
  const lengths = compared.map(([a, b]) => a === b);
  expect(lengths.length).toBeGreaterThan(0);
  expect(lengths.every(Boolean)).toBe(true);
});
