import type { ClientBase } from 'pg';
import { int2Array, int4Array, textArray } from '../../../db/arrays.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { epochIn } from '../decode/version.ts';
import { FILE_GROUPS, type TopicPartition } from './position.ts';

/** Transactions of the producer's database that a partition keeps for each source, newest first. */
const KEPT = 200;

/** The newest transactions of a source in one batch. */
interface Transactions {
  readonly epoch: number;
  /** The newest commit before its last change, as PostgreSQL writes positions; null if the producer does not state it. */
  commit: string | null;
  /** By transaction, in the order of the log: position and offset of its last change. */
  readonly last: Map<number, { lsn: string; offset: number }>;
}

const STORE = `
  insert into ingest.recent_transaction as stored (consumer_group, topic, partition, source, epoch, newest_commit,
    ids, positions, offsets, moved_at)
  select $1, $2, $3, source, epoch, commit::pg_lsn, ids::int8[], positions::pg_lsn[], offsets::int8[], clock_timestamp()
  from unnest($4::int2[], $5::int4[], $6::text[], $7::text[], $8::text[], $9::text[])
    batch (source, epoch, commit, ids, positions, offsets)
  order by source
  on conflict (consumer_group, topic, partition, source) do update set
    epoch = excluded.epoch,
    newest_commit = case when stored.epoch = excluded.epoch
      then greatest(stored.newest_commit, excluded.newest_commit) else excluded.newest_commit end,
    ids = (excluded.ids || case when stored.epoch = excluded.epoch then stored.ids end)[1:${KEPT}],
    positions = (excluded.positions || case when stored.epoch = excluded.epoch then stored.positions end)[1:${KEPT}],
    offsets = (excluded.offsets || case when stored.epoch = excluded.epoch then stored.offsets end)[1:${KEPT}],
    moved_at = excluded.moved_at`;

/** Stores which transactions of the producers' databases a batch brought, for readers that wait for one. */
export async function noteTransactions(
  client: ClientBase,
  registry: Registry,
  { partition, records }: { readonly partition: TopicPartition; readonly records: readonly DecodedRecord[] },
): Promise<void> {
  if (FILE_GROUPS.includes(partition.group)) return;
  const rows = [...transactionsOf(records)].map(([source, { epoch, commit, last }]) => {
    const kept = [...last].slice(-KEPT).reverse();
    return {
      id: registry.idOf(source),
      epoch,
      commit,
      ids: arrayText(kept.map(([id]) => id)),
      positions: arrayText(kept.map(([, { lsn }]) => lsn)),
      offsets: arrayText(kept.map(([, { offset }]) => offset)),
    };
  });
  if (rows.length === 0) return;
  await client.query({
    name: 'note-transactions',
    text: STORE,
    values: [
      partition.group,
      partition.topic,
      partition.partition,
      int2Array(rows.map(({ id }) => id)),
      int4Array(rows.map(({ epoch }) => epoch)),
      textArray(rows.map(({ commit }) => commit)),
      textArray(rows.map(({ ids }) => ids)),
      textArray(rows.map(({ positions }) => positions)),
      textArray(rows.map(({ offsets }) => offsets)),
    ],
  });
}

const arrayText = (values: readonly (string | number)[]): string => `{${values.join(',')}}`;

function transactionsOf(records: readonly DecodedRecord[]): ReadonlyMap<Source, Transactions> {
  const bySource = new Map<Source, Transactions>();
  for (const { record, decoded } of records) {
    if (!('origin' in decoded) || decoded.origin === undefined || decoded.version === null) continue;
    const { txId, lsn, sequence } = decoded.origin;
    const position = lsnText(lsn);
    if (position === null) continue;
    let transactions = bySource.get(decoded.source);
    if (transactions === undefined) {
      transactions = { epoch: epochIn(decoded.version), commit: null, last: new Map() };
      bySource.set(decoded.source, transactions);
    }
    const id = typeof txId === 'number' && Number.isSafeInteger(txId) ? txId : UNKNOWN;
    // Deleted first, so that the order of the map is that of the last changes.
    transactions.last.delete(id);
    transactions.last.set(id, { lsn: position, offset: record.offset });
    transactions.commit = commitOf(sequence) ?? transactions.commit;
  }
  return bySource;
}

/** No transaction has this id. */
const UNKNOWN = 0;

const COMMIT = /^\s*\[\s*"(?<commit>\d{1,20})"/;

const commitOf = (sequence: unknown): string | null =>
  typeof sequence === 'string' ? lsnText(COMMIT.exec(sequence)?.groups?.commit) : null;

/** A position as PostgreSQL writes it, from the number as Debezium does; null for anything else. */
function lsnText(value: unknown): string | null {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? halves(BigInt(value)) : null;
  if (typeof value === 'bigint') return halves(value);
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? halves(BigInt(value)) : null;
}

const MAX_LSN = 2n ** 64n - 1n;

const halves = (lsn: bigint): string | null =>
  lsn < 0n || lsn > MAX_LSN ? null : `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`;
