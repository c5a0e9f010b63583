import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { erasePersons } from '../../projections/taste/erase-persons.ts';
import { exportPerson } from '../../projections/taste/export-person.ts';
import { type SubjectNames, subjectNames } from '../../services/taste/profile/subject.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';
import { tasteSecrets } from './taste-secrets.ts';

const PERSON = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The same person always has the same name in the audit trail, which tells nobody who knows no person's id who it is. */
const auditName = (person: string): string => `person ${hash('sha256', person).slice(0, 16)}`;

/** @throws where nobody is meant */
async function personOf(pool: Pool, given: string): Promise<string> {
  const person = await (given.startsWith('sub_v1_') ? personOfSubject(pool, given) : personOfId(pool, given));
  if (person === null) throw new Error('nobody is known by that');
  return person;
}

async function personOfId(pool: Pool, given: string): Promise<string | null> {
  const isReceipt = given.startsWith('rcpt_v1_');
  if (!isReceipt && !PERSON.test(given))
    throw usageError('a subject is a receipt rcpt_v1_…, a sub_v1_… or the id of a person');
  const { rows } = await pool.query<{ person: string }>(
    isReceipt
      ? 'select person_id as person from taste.consent where receipt = $1'
      : 'select id as person from taste.person where id = $1',
    [given],
  );
  return rows[0]?.person ?? null;
}

/** A subject is derived and kept nowhere, so that everybody's is derived until it is found. */
async function personOfSubject(pool: Pool, subject: string): Promise<string | null> {
  const namings = (await tasteSecrets()).map(subjectNames);
  const { rows } = await pool.query<{ consumer: string; person: string }>(
    `select consumer, person_id as person from taste.consent
     union select consumer, person_id from taste.token
     union select consumer, person_id from taste.code`,
  );
  return rows.find((pair) => namings.some((nameOf) => nameOf(pair) === subject))?.person ?? null;
}

async function exportSubject(args: string[], print: Print): Promise<void> {
  const [given, ...more] = parseArgs({ args, options: {}, allowPositionals: true }).positionals;
  if (given === undefined || more.length > 0) throw usageError('subject export takes one subject');
  const namings = await namingsAtHand();
  const record = await withPool(async (pool) => {
    const person = await personOf(pool, given);
    return transaction(pool, async (client) => {
      await recordAudit(client, { actor: operator(), action: 'subject export', target: auditName(person) });
      return exportPerson(client, person, namings);
    });
  });
  if (record === null) throw new Error('nobody is known by that any more');
  print(plainJson(record));
}

/** By every secret that is at hand; by none where none is, which only leaves the names out. */
async function namingsAtHand(): Promise<SubjectNames[]> {
  return (await tasteSecrets().catch((): string[] => [])).map(subjectNames);
}

/** JSON in which nothing can act upon a terminal: what cannot be seen is escaped, by halves where it has two. */
const plainJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

async function eraseSubject(args: string[], print: Print): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { why: { type: 'string' } },
    allowPositionals: true,
  });
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw usageError('subject erase takes one subject');
  const { why } = values;
  if (!why) throw usageError('subject erase takes --why, which is kept: no names in it');
  const erased = await withPool(async (pool) => {
    const person = await personOf(pool, given);
    return transaction(pool, async (client) => {
      const counts = await erasePersons(client, [person]);
      if (counts.persons === 0) throw new Error('nobody is known by that any more');
      await recordAudit(client, {
        actor: operator(),
        action: 'subject erase',
        target: auditName(person),
        reason: why,
        detail: counts,
      });
      return counts;
    });
  });
  print(
    `erased: ${Object.entries(erased)
      .map(([what, rows]) => `${rows} ${what}`)
      .join(', ')}`,
  );
}

const actions = new Map([
  ['export', exportSubject],
  ['erase', eraseSubject],
]);

export const subject = commandOf(
  'subject',
  ['subject export RECEIPT|SUB|PERSON', 'subject erase RECEIPT|SUB|PERSON --why TEXT'],
  actions,
);
