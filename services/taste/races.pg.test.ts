import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../db/transaction.ts';
import { erasePersons } from '../../projections/models/taste/erase-persons.ts';
import { lockWaiters } from '../../test/support/services/lock-waiters.ts';
import { type CookieJar, connectedCode, withTasteApp } from '../../test/support/taste/app.ts';
import { withdrawConsent } from './connect/withdraw-consent.ts';
import { exchangeCode } from './profile/exchange-code.ts';
import { digestOf } from './profile/secrets.ts';

const { pool, app } = withTasteApp();

/** Connects a new person and returns their code, secret and receipt. */
async function connectPerson() {
  const jar: CookieJar = new Map();
  const code = await connectedCode(app, {}, jar);
  const secret = jar.get('taste_person') ?? '';
  const { rows } = await pool.query<{ person: string; receipt: string }>(
    'select person.id as person, receipt from taste.person join taste.consent on person_id = person.id where digest = $1',
    [digestOf(secret)],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('no person was connected');
  return { ...found, code, secret };
}

const withdraw = (personSecret: string, receipt: string) => {
  const form = { mac: randomBytes(32), expiresAt: new Date() };
  return withdrawConsent(pool, { personSecret, receipt, form });
};

/** Resolves when so many sessions wait for a lock. */
const waiting = (count: number) => expect.poll(() => lockWaiters(pool)).toBe(count);

const HOLD = 'select from taste.person for update';

async function liveTokens(): Promise<number> {
  const { rowCount } = await pool.query('select from taste.token where revoked_at is null');
  return rowCount ?? 0;
}

describe('a code that is exchanged', () => {
  it('during the erasure of its person waits for it and is then invalid', async () => {
    const { person, code } = await connectPerson();
    const { exchanging } = await transaction(pool, async (client) => {
      await client.query(HOLD);
      const exchanging = exchangeCode(pool, code, null);
      await waiting(1);
      expect(await erasePersons(client, [person])).toMatchObject({ codes: 1, persons: 1 });
      return { exchanging };
    });
    expect(await exchanging).toBeNull();
  });

  it('during the withdrawal of its consent waits for it and is then invalid', async () => {
    const { person, code } = await connectPerson();
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

  it('just before the withdrawal of its consent gives a token that ends with it', async () => {
    const { code, secret, receipt } = await connectPerson();
    const { both } = await transaction(pool, async (client) => {
      await client.query(HOLD);
      const exchanging = exchangeCode(pool, code, null);
      await waiting(1);
      const withdrawing = withdraw(secret, receipt);
      await waiting(2);
      return { both: [exchanging, withdrawing] as const };
    });
    const [issued, withdrawn] = await Promise.all(both);
    expect([issued, withdrawn]).toMatchObject([{ consumer: 'app' }, { consumer: 'app' }]);
    expect(await liveTokens()).toBe(0);
  });

  it('concurrently with the withdrawal of its consent never outlives it, a hundred times', async () => {
    const CONCURRENCY = 4;
    for (let round = 0; round < 25; round++) {
      const people = await Promise.all(Array.from({ length: CONCURRENCY }, connectPerson));
      await Promise.all(
        people.map(async ({ code, secret, receipt }, index) => {
          const exchangeIt = () => exchangeCode(pool, code, null);
          const withdrawIt = () => withdraw(secret, receipt);
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

it('a rejected code does not mark its person as seen by a consumer', async () => {
  const { code, person } = await connectPerson();
  const exchangedAt = async () => {
    const { rows } = await pool.query('select exchanged_at from taste.person where id = $1', [person]);
    return rows[0]?.exchanged_at;
  };
  expect(await exchangeCode(pool, code, 'other')).toBeNull();
  expect(await exchangedAt()).toBeNull();
  await exchangeCode(pool, code, 'app');
  const first = await exchangedAt();
  expect(first).toBeInstanceOf(Date);
  expect(await exchangeCode(pool, code, 'app')).toBeNull();
  expect(await exchangedAt()).toEqual(first);
});
