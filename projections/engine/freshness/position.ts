import { sourceByTable } from '../../contracts/index.ts';

/** The position of a record in the log. */
export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** A change as its producer knows it: by its table and by a position or a transaction of the producer's database. */
export type ChangeReference = { readonly table: string } & (
  | { readonly lsn: string; readonly transaction?: undefined }
  | { readonly transaction: number; readonly lsn?: undefined }
);

/** What a reader can wait for. */
export type WaitTarget = RecordPosition | ChangeReference;

export const isRecordPosition = (target: WaitTarget): target is RecordPosition => 'offset' in target;

/** Positions that one request may wait for. */
const MAX_POSITIONS = 8;

/** A topic name as Kafka allows it, then two numbers. */
const POSITION = /^([A-Za-z0-9._-]{1,249}):(\d{1,10}):(\d{1,16})$/;
const MAX_PARTITION = 2 ** 31 - 1;

/** A table, then PostgreSQL's text of a log position or a number of a transaction. */
const CHANGE_REFERENCE = /^([a-z0-9_]+\.[a-z0-9_]+)@(?:([0-9A-F]{1,8}\/[0-9A-F]{1,8})|([1-9]\d{0,18}))$/i;

/** Debezium writes a transaction without the epoch that `pg_current_xact_id()` puts before it. */
const TRANSACTION_BITS = 2n ** 32n;

/**
 * Reads positions as `topic:partition:offset`, `TABLE@LSN` or `TABLE@TXID`, several separated by commas.
 *
 * @returns the positions, or the `problem` with the text
 */
export function parsePositions(text: string): readonly WaitTarget[] | { readonly problem: string } {
  const parts = text.split(',', MAX_POSITIONS + 1);
  if (parts.length > MAX_POSITIONS) return { problem: `must name at most ${MAX_POSITIONS} positions` };
  const positions: WaitTarget[] = [];
  for (const part of parts) {
    const [, table, lsn, transaction] = CHANGE_REFERENCE.exec(part.trim()) ?? [];
    if (table !== undefined) {
      if (!sourceByTable.has(table)) return { problem: `names ${table}, which is no table of a source` };
      positions.push(
        lsn === undefined
          ? { table, transaction: Number(BigInt(transaction ?? '') % TRANSACTION_BITS) }
          : { table, lsn },
      );
      continue;
    }
    const [, topic = '', partitionText, offsetText] = POSITION.exec(part.trim()) ?? [];
    const [partition, offset] = [Number(partitionText), Number(offsetText)];
    if (!(partition <= MAX_PARTITION && Number.isSafeInteger(offset)))
      return {
        problem: 'must be topic:partition:offset, TABLE@LSN or TABLE@TXID, several separated by commas',
      };
    positions.push({ topic, partition, offset });
  }
  return positions;
}

/** `topic:partition` */
export const partitionName = ({ topic, partition }: Pick<RecordPosition, 'topic' | 'partition'>): string =>
  `${topic}:${partition}`;

/** `topic:partition:offset` */
export const positionText = (position: RecordPosition): string =>
  `${partitionName(position)}:${position.offset}`;
