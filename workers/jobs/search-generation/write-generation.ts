import type { ClientBase } from 'pg';
import { int4Bytes } from '../../../db/binary-values.ts';
import { type CopyValue, copyRows } from '../../../db/copy-binary.ts';
import { bytesOf, columnNames } from '../../../projections/models/search/columns.ts';
import {
  columnTable,
  EXACT,
  generationTables,
  postingTable,
  rowTable,
  valueTable,
} from '../../../projections/models/search/generation.ts';
import type { SegmentIndex } from '../../../projections/models/search/indexer.ts';
import { encodeRanks } from '../../../projections/models/search/posting-codec.ts';

/** Bytes of a column in one row, which a reader loads at a time. */
const PART_BYTES = 1024 * 1024;

export async function createTables(client: ClientBase, id: number): Promise<void> {
  await client.query(`
    create table ${rowTable(id)} (rank integer not null, body bytea not null);
    create table ${postingTable(id)} (
      kind text collate "C" not null,
      term text collate "C" not null,
      anywhere bytea not null,
      in_title bytea
    );
    -- Gaps between ranks do not compress any further.
    alter table ${postingTable(id)} alter column anywhere set storage external, alter column in_title set storage external;
    create table ${valueTable(id)} (
      id integer not null,
      facet text not null,
      value text not null,
      folded text collate "C" not null,
      documents integer not null
    );
    create table ${columnTable(id)} (name text not null, part integer not null, bytes bytea not null);
    alter table ${columnTable(id)} alter column bytes set storage external;`);
}

export async function writeIndex(
  client: ClientBase,
  id: number,
  { index, signal }: { index: SegmentIndex; signal?: AbortSignal | undefined },
): Promise<void> {
  await copyRows(client, `${columnTable(id)} (name, part, bytes)`, columnRows(index));
  signal?.throwIfAborted();
  await copyRows(
    client,
    `${valueTable(id)} (id, facet, value, folded, documents)`,
    index.values.map(({ facet, value, folded, documents }, number) => [
      int4Bytes(number),
      facet,
      value,
      folded,
      int4Bytes(documents),
    ]),
  );
  await copyRows(client, `${postingTable(id)} (kind, term, anywhere, in_title)`, postingRows(index, signal));
}

function* columnRows({ columns }: SegmentIndex): Iterable<CopyValue[]> {
  for (const name of columnNames) {
    const bytes = bytesOf(columns[name]);
    for (let at = 0, part = 0; at < bytes.length; at += PART_BYTES, part++)
      yield [name, int4Bytes(part), bytes.subarray(at, at + PART_BYTES)];
  }
}

function* postingRows(index: SegmentIndex, signal?: AbortSignal): Iterable<CopyValue[]> {
  const size = index.columns.ids.length;
  for (const { kind, term, anywhere, inTitle } of index.postings()) {
    signal?.throwIfAborted();
    yield [kind, term, encodeRanks(anywhere, size), inTitle === null ? null : encodeRanks(inTitle, size)];
  }
  for (const { bucket, pairs } of index.buckets()) yield [EXACT, String(bucket), bytesOf(pairs), null];
}

export async function finishTables(client: ClientBase, id: number): Promise<void> {
  await client.query(`
    alter table ${rowTable(id)} add primary key (rank);
    alter table ${postingTable(id)} add primary key (kind, term);
    alter table ${valueTable(id)} add primary key (id);
    create index on ${valueTable(id)} (facet, folded);
    alter table ${columnTable(id)} add primary key (name, part);`);
  await client.query(`vacuum analyze ${generationTables(id).join(', ')}`);
}
