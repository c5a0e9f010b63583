import type { ClientBase, Pool } from 'pg';
import { int2Array } from '../../db/arrays.ts';
import { int2Bytes, int4Bytes } from '../../db/binary-values.ts';
import { copyRows } from '../../db/copy-binary.ts';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import type { Document, Projection, SourceRegistry } from '../../projections/projection.ts';
import { mirrorReader } from '../../projections/read-rows.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import {
  addressTable,
  createVersion,
  discardUnfinished,
  documentTable,
  planTable,
  promoteVersion,
  type Version,
} from '../../projections/store/version.ts';
import { drain } from './drain.ts';

/** Documents projected and copied in one transaction. */
const RANGE = 500;
/** One range computes while another waits for the database. */
const CONCURRENT_RANGES = 2;

export interface BuildProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Builds all documents of a projection from the mirror beside the version that is served, catches up on what
 * changed meanwhile, and puts it in the place of the old one. What an earlier build that broke off left is removed.
 *
 * @throws when another process builds the same projection
 */
export async function rebuild(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  fingerprint: string,
  onProgress: (progress: BuildProgress) => void = () => {},
): Promise<Version> {
  const holder = await pool.connect();
  try {
    const { rows } = await holder.query<{ got: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as got',
      [LOCKS.build, projection.name],
    );
    if (!rows[0]?.got) throw new Error(`${projection.name} is being built by another process`);
    await discardUnfinished(pool, projection.name);
    return await build(pool, projection, registry, fingerprint, onProgress);
  } finally {
    // Closing the connection would let go of the lock too, but only when the server has noticed.
    await holder.query('select pg_advisory_unlock_all()').catch(() => {});
    holder.release(true);
  }
}

async function build(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  fingerprint: string,
  onProgress: (progress: BuildProgress) => void,
): Promise<Version> {
  const version = await createVersion(pool, projection.name, fingerprint);
  const plan = planTable(version);
  const total = await planKeys(pool, plan, projection, registry);
  let after = '';
  let done = 0;
  const takeRange = async (): Promise<SubjectRef[]> => {
    const { rows } = await pool.query<{ key: SubjectRef }>(
      `select key from ${plan} where key > $1 order by key limit ${RANGE}`,
      [after],
    );
    after = rows.at(-1)?.key ?? after;
    return rows.map(({ key }) => key);
  };
  let taking = Promise.resolve<SubjectRef[]>([]);
  const work = async (): Promise<void> => {
    for (;;) {
      // Ranges are taken one after another, though they are built side by side.
      taking = taking.then(takeRange);
      const keys = await taking;
      if (keys.length === 0) return;
      await transaction(pool, (client) => buildRange(client, projection, version, keys, registry));
      done += keys.length;
      onProgress({ done, total });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_RANGES }, work));
  await pool.query(`drop table ${plan}`);
  await pool.query(`vacuum analyze ${documentTable(version)}, ${addressTable(version)}`);
  await pool.query(`update projection.version set state = 'ready' where id = $1`, [version.id]);
  await drain(pool, registry);
  await promoteVersion(pool, version);
  return version;
}

/** Writes down the keys of all documents, so that ranges and their number are known. Returns how many. */
async function planKeys(
  pool: Pool,
  plan: string,
  projection: Projection,
  registry: SourceRegistry,
): Promise<number> {
  return transaction(pool, async (client) => {
    await client.query(`create table ${plan} (key text collate "C" primary key)`);
    for (const kind of projection.keys) {
      const read = projection.reads.filter(({ by }) => by.includes(kind)).map(({ source }) => source);
      const direct = read.filter((source) => source.subject.kind === kind).map(registry.idOf);
      const linked = read.filter((source) => source.subject.kind !== kind).map(registry.idOf);
      await client.query(
        `insert into ${plan}
         select $1 || ':' || subject from ingest.mirror where source = any($2::int2[]) and row is not null
         union
         select subject from ingest.link where source = any($3::int2[]) and subject like $1 || ':%'`,
        [kind, int2Array(direct), int2Array(linked)],
      );
    }
    await client.query(`analyze ${plan}`);
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${plan}`);
    return Number(rows[0]?.count);
  });
}

async function buildRange(
  client: ClientBase,
  projection: Projection,
  version: Version,
  keys: readonly SubjectRef[],
  registry: SourceRegistry,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.delivery]);
  const projected = await projection.project(keys, mirrorReader(client, registry), registry);
  const documents: [SubjectRef, Document][] = projected.flatMap(({ key, document }) =>
    document === null ? [] : [[key, document]],
  );
  await copyRows(
    client,
    `${documentTable(version)} (key, hash, body)`,
    documents.map(([key, document]) => [key, document.hash, document.body()]),
  );
  await copyRows(
    client,
    `${addressTable(version)} (address, rank, support, key)`,
    documents.flatMap(([key, document]) =>
      document.addresses.map(({ address, rank, support }) => [
        address,
        int2Bytes(rank),
        int4Bytes(support),
        key,
      ]),
    ),
  );
}
