import type { ClientBase, Pool } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import { documentIds } from '../../../projections/store/document-id.ts';
import { documentJson } from '../../../projections/store/document-json.ts';
import { addressTable, documentTable, type Version } from '../../../projections/store/version.ts';
import { differences, generalPath } from './differences.ts';

/** One field of one document that differs, its values as JSON text cut short; null where there is none. */
interface FieldSample {
  readonly key: SubjectRef;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface FieldDifference {
  /** The path, for all items of a list alike. */
  readonly path: string;
  /** In how many of the documents that were looked into it differs. */
  readonly documents: number;
  readonly samples: readonly FieldSample[];
}

/** How the documents of a version differ from those of the one that it is to replace. */
export interface Comparison {
  /** The version compared with. */
  readonly against: number;
  /** ISO instant. */
  readonly comparedAt: string;
  readonly equal: number;
  readonly changed: number;
  readonly added: number;
  readonly gone: number;
  /** Documents that differ, and have a change to take up in either version. They count nowhere else. */
  readonly moving: number;
  /** How many of the changed documents were looked into. */
  readonly examined: number;
  readonly fields: readonly FieldDifference[];
  readonly addedKeys: readonly SubjectRef[];
  readonly goneKeys: readonly SubjectRef[];
}

const MOST_EXAMINED = 200;
const MOST_FIELDS = 40;
const MOST_SAMPLES = 3;
const MOST_KEYS = 5;
const MOST_CHARACTERS = 120;

type Counts = Pick<Comparison, 'equal' | 'changed' | 'added' | 'gone' | 'moving'>;

/** Counts and samples of what differs, all as of one moment. */
export async function compareVersions(pool: Pool, live: Version, version: Version): Promise<Comparison> {
  return transaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const pairs = pairsOf(live, version);
    const counts = await countPairs(client, pairs);
    const changedKeys = await keysOf(
      client,
      pairs,
      'before <> after',
      'after',
      MOST_EXAMINED,
      counts.changed,
    );
    return {
      against: live.id,
      comparedAt: new Date().toISOString(),
      ...counts,
      examined: changedKeys.length,
      fields: changedKeys.length === 0 ? [] : await compareFields(client, live, version, changedKeys),
      addedKeys: await keysOf(client, pairs, 'before is null', 'key', MOST_KEYS, counts.added),
      goneKeys: await keysOf(client, pairs, 'after is null', 'key', MOST_KEYS, counts.gone),
    };
  });
}

/**
 * A query's beginning: every key with the hashes of its two documents. What moves is joined, for a look at it for each
 * pair would take for ever where much moves.
 */
const pairsOf = (live: Version, version: Version): string => `
  with moving as materialized (
    select distinct key from projection.mark cross join unnest(keys) key
    where version in (${live.id}, ${version.id})
  ), pair as (
    select coalesce(new.key, old.key) as key, old.hash as before, new.hash as after,
      moving.key is not null as is_moving
    from ${documentTable(live)} old full join ${documentTable(version)} new on new.id = old.id
      left join moving on moving.key = coalesce(new.key, old.key)
  )`;

async function countPairs(client: ClientBase, pairs: string): Promise<Counts> {
  const { rows } = await client.query<Counts>(`${pairs}
    select
      count(*) filter (where before = after)::int4 as equal,
      count(*) filter (where before <> after and not is_moving)::int4 as changed,
      count(*) filter (where before is null and not is_moving)::int4 as added,
      count(*) filter (where after is null and not is_moving)::int4 as gone,
      count(*) filter (where before is distinct from after and is_moving)::int4 as moving
    from pair`);
  return rows[0] ?? { equal: 0, changed: 0, added: 0, gone: 0, moving: 0 };
}

/** @param order of the keys; by hash is at random, but the same again */
async function keysOf(
  client: ClientBase,
  pairs: string,
  condition: string,
  order: 'key' | 'after',
  limit: number,
  expected: number,
): Promise<SubjectRef[]> {
  if (expected === 0) return [];
  const { rows } = await client.query<{ key: SubjectRef }>(
    `${pairs} select key from pair where ${condition} and not is_moving order by ${order}, key limit ${limit}`,
  );
  return rows.map(({ key }) => key);
}

/** Finds the fields that differ in the documents of `keys`, the most frequent first. */
async function compareFields(
  client: ClientBase,
  live: Version,
  version: Version,
  keys: readonly SubjectRef[],
): Promise<FieldDifference[]> {
  const before = await readContents(client, live, keys);
  const after = await readContents(client, version, keys);
  const samples = new Map<string, FieldSample[]>();
  for (const key of keys) {
    for (const difference of differences(before.get(key), after.get(key))) {
      const path = generalPath(difference.path);
      const sample = { key, path: difference.path, ...shownValues(difference) };
      samples.set(path, [...(samples.get(path) ?? []), sample]);
    }
  }
  return [...samples]
    .map(([path, all]) => ({
      path,
      documents: new Set(all.map(({ key }) => key)).size,
      samples: distinctKeys(all).slice(0, MOST_SAMPLES),
    }))
    .sort((a, b) => b.documents - a.documents || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FIELDS);
}

/** The first sample of each document. */
const distinctKeys = (samples: readonly FieldSample[]): FieldSample[] =>
  samples.filter(({ key }, index) => index === 0 || samples[index - 1]?.key !== key);

const shownValues = ({ before, after }: { before: unknown; after: unknown }) => ({
  before: shown(before),
  after: shown(after),
});

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** What documents say, with the addresses that they are found by. */
async function readContents(
  client: ClientBase,
  version: Version,
  keys: readonly SubjectRef[],
): Promise<Map<SubjectRef, unknown>> {
  const { rows } = await client.query<{ key: SubjectRef; body: string; addresses: string[] }>(
    `select key, encode(body, 'base64') as body, array(
       select concat_ws(' ', address, rank, support) from ${addressTable(version)} claim
       where claim.document = document.id order by address, rank) as addresses
     from ${documentTable(version)} document where id = any($1::uuid[])`,
    [documentIds(keys)],
  );
  return new Map(
    rows.map(({ key, body, addresses }) => [key, contentOf(Buffer.from(body, 'base64'), addresses)]),
  );
}

function contentOf(body: Buffer, addresses: readonly string[]): unknown {
  try {
    return Object.assign({}, documentJson(body), { '(addresses)': addresses });
  } catch {
    return '(stored in a form that this code does not read)';
  }
}
