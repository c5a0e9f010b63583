import { gunzipSync } from 'node:zlib';
import type { ClientBase, Pool } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import { prepareSeal, sealFrame } from '../../../projections/engine/frame/frame.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { documentIds } from '../../../projections/engine/store/document-id.ts';
import { documentTable, lookupTable, type Version } from '../../../projections/engine/store/version.ts';
import { differences, generalPath } from './differences.ts';

/** A differing field of one document, its values as truncated JSON text; null if a document lacks it. */
interface FieldSample {
  readonly key: SubjectRef;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface FieldDifference {
  /** The path without list indexes. */
  readonly path: string;
  /** Examined documents in which it differs. */
  readonly documents: number;
  readonly samples: readonly FieldSample[];
}

/** Differences between the documents of a version and those of the version that it is to replace. */
export interface VersionComparison {
  /** The version compared with. */
  readonly against: number;
  /** ISO instant. */
  readonly comparedAt: string;
  readonly equal: number;
  readonly changed: number;
  readonly added: number;
  readonly gone: number;
  /** Documents that differ and are marked dirty in either version. They count nowhere else. */
  readonly moving: number;
  /** Changed documents whose fields were compared. */
  readonly examined: number;
  readonly fields: readonly FieldDifference[];
  readonly addedKeys: readonly SubjectRef[];
  readonly goneKeys: readonly SubjectRef[];
}

const MAX_EXAMINED = 200;
const MAX_FIELDS = 40;
const MAX_SAMPLES = 3;
const MAX_KEYS = 5;
const MAX_CHARACTERS = 120;
/** The same for every document, so that equal documents stay equal. */
const SEAL = prepareSeal('', () => false);
const GZIP = 0x8b1f;

type Counts = Pick<VersionComparison, 'equal' | 'changed' | 'added' | 'gone' | 'moving'>;

/** Counts and samples of the differences, all from one snapshot of the database. */
export async function compareVersions(
  pool: Pool,
  live: Version,
  version: Version,
): Promise<VersionComparison> {
  return transaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const pairs = pairsOf(live, version);
    const counts = await countPairs(client, pairs);
    // Ordered by hash, the sample is random but repeatable.
    const sample = (condition: string, limit: number, order: 'key' | 'after' = 'key') =>
      sampleKeys(
        client,
        `${pairs} select key from pair where ${condition} and not is_moving order by ${order}, key limit ${limit}`,
      );
    const changedKeys = counts.changed === 0 ? [] : await sample('before <> after', MAX_EXAMINED, 'after');
    return {
      against: live.id,
      comparedAt: new Date().toISOString(),
      ...counts,
      examined: changedKeys.length,
      fields:
        changedKeys.length === 0 ? [] : await compareFields(client, { live, version, keys: changedKeys }),
      addedKeys: counts.added === 0 ? [] : await sample('before is null', MAX_KEYS),
      goneKeys: counts.gone === 0 ? [] : await sample('after is null', MAX_KEYS),
    };
  });
}

/** Start of a query: every key with the hashes of its two documents. Dirty keys are joined, because one lookup per pair is too slow. */
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

async function sampleKeys(client: ClientBase, text: string): Promise<SubjectRef[]> {
  const { rows } = await client.query<{ key: SubjectRef }>(text);
  return rows.map(({ key }) => key);
}

interface ComparedKeys {
  readonly live: Version;
  readonly version: Version;
  readonly keys: readonly SubjectRef[];
}

/** Finds the fields that differ in the documents of `keys`, the most frequent first. */
async function compareFields(
  client: ClientBase,
  { live, version, keys }: ComparedKeys,
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
      samples: distinctKeys(all).slice(0, MAX_SAMPLES),
    }))
    .sort((a, b) => b.documents - a.documents || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_FIELDS);
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
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** The documents as JSON, with their lookup keys. */
async function readContents(
  client: ClientBase,
  version: Version,
  keys: readonly SubjectRef[],
): Promise<Map<SubjectRef, unknown>> {
  const { rows } = await client.query<{ key: SubjectRef; body: string; lookup_keys: string[] }>(
    `select key, encode(body, 'base64') as body, array(
       select concat_ws(' ', address, rank, support) from ${lookupTable(version)} lookup
       where lookup.document = document.id order by address, rank) as lookup_keys
     from ${documentTable(version)} document where id = any($1::uuid[])`,
    [documentIds(keys)],
  );
  return new Map(
    rows.map(({ key, body, lookup_keys }) => [key, contentOf(Buffer.from(body, 'base64'), lookup_keys)]),
  );
}

function contentOf(body: Buffer, lookupKeys: readonly string[]): unknown {
  try {
    return Object.assign({}, documentJson(body), { '(lookup keys)': lookupKeys });
  } catch {
    return '(stored in a form that this code does not read)';
  }
}

/** The parsed body of a stored document, with no source stale. @throws if its form is unknown */
function documentJson(body: Buffer): unknown {
  const isFrame = body.length > 2 && body.readUInt16LE() === GZIP;
  return JSON.parse((isFrame ? gunzipSync(sealFrame(body, SEAL)) : body).toString());
}
