import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { erasePersons } from '../../projections/models/taste/erase-persons.ts';
import { exportPerson } from '../../projections/models/taste/export-person.ts';
import { type SubjectNames, subjectNames } from '../../services/taste/profile/subject.ts';
import { keptDataSets, linernotesHome } from '../embedded/config.ts';
import { type AddCommand, type Print, reason, usageError } from './command.ts';
import { operator, readOpsConfig } from './config.ts';
import { withPool } from './database.ts';

/**
 * The secrets from which subjects may be derived: `TASTE_SECRET`, else, without a `DATABASE_URL`, those that `npm start`
 * keeps with its databases.
 *
 * @throws if there is none
 */
export async function tasteSecrets(): Promise<string[]> {
  const { TASTE_SECRET, DATABASE_URL, LINERNOTES_HOME } = readOpsConfig();
  if (TASTE_SECRET !== undefined) return [TASTE_SECRET];
  const home = linernotesHome(LINERNOTES_HOME);
  const names = DATABASE_URL === undefined ? keptDataSets(home) : [];
  const kept = names.map((name) => join(home, name, 'taste-secret')).filter((file) => existsSync(file));
  if (kept.length === 0)
    throw new Error('set TASTE_SECRET to the secret of the taste service, to trace a sub_v1_ to its person');
  return Promise.all(kept.map(async (file) => (await readFile(file, 'utf8')).trim()));
}

const PERSON = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A person's name in the audit trail: always the same, and meaningless without the person's id. */
const auditName = (person: string): string => `person ${hash('sha256', person).slice(0, 16)}`;

/** @throws if there is no such person */
async function personOf(pool: Pool, given: string): Promise<string> {
  const person = await (given.startsWith('sub_v1_') ? personOfSubject(pool, given) : personOfId(pool, given));
  if (person === null) throw new Error('no person has that id');
  return person;
}

async function personOfId(pool: Pool, given: string): Promise<string | null> {
  const isReceipt = given.startsWith('rcpt_v1_');
  if (!isReceipt && !PERSON.test(given))
    throw usageError('a subject is a receipt rcpt_v1_…, a sub_v1_… or the id of a person');
  const { rows } = await pool.query<{ person: string }>(
    isReceipt
      ? 'select person_id as person from taste.consent where receipt = $1 or withdrawal_receipt = $1'
      : 'select id as person from taste.person where id = $1',
    [given],
  );
  return rows[0]?.person ?? null;
}

/** Subjects are derived and not stored: derives those of all persons until one matches. */
async function personOfSubject(pool: Pool, subject: string): Promise<string | null> {
  const names = (await tasteSecrets()).map(subjectNames);
  const { rows } = await pool.query<{ consumer: string; person: string }>(
    `select consumer, person_id as person from taste.consent
     union select consumer, person_id from taste.token
     union select consumer, person_id from taste.code`,
  );
  return rows.find((pair) => names.some((nameOf) => nameOf(pair) === subject))?.person ?? null;
}

async function exportSubject(given: string, print: Print): Promise<void> {
  const names = await knownSubjectNames();
  const record = await withPool(async (pool) => {
    const person = await personOf(pool, given);
    return transaction(pool, async (client) => {
      await recordAudit(client, { actor: operator(), action: 'subject export', target: auditName(person) });
      return exportPerson(client, person, names);
    });
  });
  if (record === null) throw new Error('the person has just been erased');
  print(plainJson(record));
}

/** One for each known secret. Without any, the export leaves the subjects out. */
async function knownSubjectNames(): Promise<SubjectNames[]> {
  return (await tasteSecrets().catch((): string[] => [])).map(subjectNames);
}

/** JSON that is safe on a terminal: invisible characters are escaped, surrogate pairs as two halves. */
const plainJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

async function eraseSubject(given: string, why: string, print: Print): Promise<void> {
  const erased = await withPool(async (pool) => {
    const person = await personOf(pool, given);
    return transaction(pool, async (client) => {
      const counts = await erasePersons(client, [person]);
      if (counts.persons === 0) throw new Error('the person has just been erased');
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

export const addSubject: AddCommand = (program, print) => {
  const group = program.command('subject').description('The data of one person.');
  group
    .command('export')
    .description('Print all data of a person as JSON.')
    .argument('<subject>', 'receipt rcpt_v1_…, sub_v1_… or id of the person')
    .action((subject) => exportSubject(subject, print));
  group
    .command('erase')
    .description('Erase all data of a person.')
    .argument('<subject>', 'receipt rcpt_v1_…, sub_v1_… or id of the person')
    .requiredOption('--why <text>', 'reason for the audit trail, without names of persons', reason)
    .action((subject, { why }) => eraseSubject(subject, why, print));
};
