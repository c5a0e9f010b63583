import { afterEach, expect, it } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
import { connectAccount } from '../../../test/support/taste/rows.ts';
import { exportPerson } from './export-person.ts';

const { pool } = withDatabase();
afterEach(() => pool.query('truncate taste.person cascade'));

const named =
  (secret: string) =>
  ({ consumer, person }: { consumer: string; person: string }) =>
    `${secret} ${consumer} ${person}`;

it('includes the pseudonym for each consumer if it can be derived', async () => {
  const { person } = await connectAccount(pool, { username: 'somebody', consumer: 'b' });
  await connectAccount(pool, { username: 'another', consumer: 'b', service: 'scrobbler', person });
  await connectAccount(pool, { username: 'stranger', consumer: 'd' });
  await pool.query(
    `with token as (
       insert into taste.token (digest, person_id, consumer, expires_at) values ('\\x01', $1, 'a', now())
     )
     insert into taste.code (digest, person_id, consumer, service, expires_at) values ('\\x02', $1, 'c', 'catalog', now())`,
    [person],
  );
  const record = await exportPerson(pool, person, [named('one'), named('two')]);
  expect(record?.subjects).toEqual(
    ['a', 'b', 'c'].flatMap((consumer) => [
      { consumer, sub: `one ${consumer} ${person}` },
      { consumer, sub: `two ${consumer} ${person}` },
    ]),
  );
  expect(record?.consents).toHaveLength(2);
  expect(await exportPerson(pool, person)).not.toHaveProperty('subjects');
});

it('returns nothing for an unknown person', async () => {
  expect(await exportPerson(pool, '00000000-0000-4000-8000-000000000000', [named('one')])).toBeNull();
});
