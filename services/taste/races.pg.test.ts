import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { transaction } from '../../db/transaction.ts';
import { erasePersons } from '../../projections/taste/erase-persons.ts';
import { withDatabase } from '../../test/services/database.ts';
import { type CookieJar, connectedCode, forgetAll, tasteApp } from '../../test/taste-app.ts';
import { withdrawConsent } from './connect/withdraw-consent.ts';
import { exchangeCode } from './profile/exchange-code.ts';
import { digestOf } from './profile/secrets.ts';

const { pool } = withDatabase();
let app: FastifyInstance;

beforeAll(() => {
  app = tasteApp(pool);
});
afterEach(() => forgetAll(pool));
afterAll(() => app.close());

/** Somebody who has connected, and what they hold. */
async function connectSomebody() {
  const jar: CookieJar = new Map();
  const code = await connectedCode(app, {}, jar);
  const secret = jar.get('taste_person') ?? '';
  const { rows } = await pool.query<{ person: string; receipt: string }>(
    'select person.id as person, receipt from taste.person join taste.consent on person_id = person.id where digest = $1',
    [digestOf(secret)],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('nobody was connected');
  return { ...found, code, secret };
}

/** Resolves when so many sessions wait for a lock. */
const waiting = (count: number) =>
  vi.waitUntil(
    async () => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return (rowCount ?? 0) >= count;
    },
    { timeout: 10_000, interval: 5 },
  );

const HOLD = 'select from taste.person for update';

async function liveTokens(): Promise<number> {
  const { rowCount } = await pool.query('select from taste.token where revoked_at is null');
  return rowCount ?? 0;
}

describe('a code that is exchanged', () => {
  it('while its person is erased waits for that, and is none then', async () => {
    const { person, code } = await connectSomebody();
    const { exchanging } = await transaction(pool, async (client) => {
      await client.query(HOLD);
      const exchanging = exchangeCode(pool, code, null);
      await waiting(1);
      expect(await erasePersons(client, [person])).toMatchObject({ codes: 1, persons: 1 });
      return { exchanging };
    });
    expect(await exchanging).toBeNull();
  });

  it('while its consent is withdrawn waits for that, and is none then', async () => {
    const { person, code } = await connectSomebody();
    const { exchanging } = await transaction(pool, async (client) => {
      await client.query(HOLD);
      const exchanging = exchangeCode(pool, code, null);
      await waiting(1);
      await client.query('update taste.code set claimed_at = now() where person_id = $1', [person]);
      return { exchanging };
    });
    expect(await exchanging).toBeNull();
    expect(await liveTokens()).toBe(0);
  });

  it('just before its consent is withdrawn gives a token that ends with it', async () => {
    const { code, secret, receipt } = await connectSomebody();
    const { racers } = await transaction(pool, async (client) => {
      await client.query(HOLD);
      const exchanging = exchangeCode(pool, code, null);
      await waiting(1);
      const withdrawing = withdrawConsent(pool, secret, receipt);
      await waiting(2);
      return { racers: [exchanging, withdrawing] as const };
    });
    const [issued, withdrawn] = await Promise.all(racers);
    expect([issued?.consumer, withdrawn?.consumer]).toEqual(['app', 'app']);
    expect(await liveTokens()).toBe(0);
  });

  it('at the same moment as its consent is withdrawn, a hundred times, never outlives it', async () => {
    const AT_ONCE = 4;
    for (let round = 0; round < 25; round++) {
      const people = await Promise.all(Array.from({ length: AT_ONCE }, connectSomebody));
      await Promise.all(
        people.map(async ({ code, secret, receipt }, index) => {
          const exchangeIt = () => exchangeCode(pool, code, null);
          const withdrawIt = () => withdrawConsent(pool, secret, receipt);
          if (index % 2 === 0) {
            const exchanging = exchangeIt();
            expect(await withdrawIt()).toMatchObject({ consumer: 'app' });
            await exchanging;
          } else {
            const withdrawing = withdrawIt();
            await exchangeIt();
            expect(await withdrawing).toMatchObject({ consumer: 'app' });
          }
        }),
      );
      expect(await liveTokens()).toBe(0);
    }
  });
});

it('a code that is refused leaves its person as nobody has come to know them', async () => {
  const { code, person } = await connectSomebody();
  const known = async () => {
    const { rows } = await pool.query('select exchanged_at from taste.person where id = $1', [person]);
    return rows[0]?.exchanged_at;
  };
  expect(await exchangeCode(pool, code, 'other')).toBeNull();
  expect(await known()).toBeNull();
  await exchangeCode(pool, code, 'app');
  const first = await known();
  expect(first).toBeInstanceOf(Date);
  expect(await exchangeCode(pool, code, 'app')).toBeNull();
  expect(await known()).toEqual(first);
});
