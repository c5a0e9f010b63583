import { type DecodedRecord, decodeRecord } from '../../../workers/ingest/decode/envelope.ts';
import { UNCHANGED } from './dead-letters.ts';
import { FIRST_TIME_MS } from './delivery.ts';
import { MENTIONS, mention } from './mentions.ts';

/** A step of a history. Numbers choose among what is possible at that moment; a step that is impossible does nothing. */
export type Step =
  /** A transaction writes or removes a row. It holds the row's lock until it ends. */
  | { readonly step: 'write'; readonly by: number; readonly key: number; readonly removes: boolean }
  /** A transaction changes the key of a row, whose value is too large to be in the log when it stays as it was. */
  | { readonly step: 'move'; readonly by: number; readonly key: number; readonly to: number }
  | { readonly step: 'truncate'; readonly by: number }
  | { readonly step: 'end'; readonly by: number; readonly commits: boolean }
  /** The connector sends committed transactions. */
  | { readonly step: 'stream'; readonly commits: number }
  /** It dies within a transaction, goes back to a stored offset and sends again from there. */
  | { readonly step: 'restart'; readonly sent: number; readonly back: number; readonly clockMs: number }
  /**
   * It starts with a snapshot (`initial`, `always`, `when_needed`, after its slot was lost too) and streams from there.
   *
   * @param lost rows of a first attempt that died
   * @param late commits that the snapshot contains although it is placed before them
   */
  | { readonly step: 'snapshot'; readonly lost: number; readonly late: number }
  /** A blocking snapshot while it streams; in the run that created the slot, it is placed where the slot began. */
  | { readonly step: 'blocking'; readonly stale: boolean }
  /** An incremental snapshot's read window opens, is read, and closes. */
  | { readonly step: 'low' | 'read' | 'high' }
  | { readonly step: 'partitions'; readonly to: number };

interface Change {
  readonly op: 'c' | 'u' | 'd' | 't';
  readonly key: string;
  readonly value: string | null;
  readonly lsn: number;
  /** The other key of a row that moves. */
  readonly other?: string;
}

interface Commit {
  readonly lsn: number;
  readonly timeMs: number;
  readonly changes: readonly Change[];
}

/** A record as Debezium's PostgreSQL connector writes it, with what a row holds in short. */
export interface ModelRecord {
  readonly op: 'c' | 'u' | 'd' | 't' | 'r' | 'tombstone';
  /** Empty for a truncate. */
  readonly key: string;
  readonly value: string | null;
  readonly source: Readonly<Record<string, unknown>>;
  readonly timestamp: number;
  /** The other key of a row that moved, in a header: after a delete the new one, after a write the old one. */
  readonly other?: string | undefined;
  /** How many records were sent before it. */
  readonly sent: number;
}

/** A notification that a snapshot found no rows. The snapshot's rows of another table say when it was taken. */
export interface EmptyNotice {
  readonly takenMs: number;
  readonly timestamp: number;
  readonly sent: number;
}

export interface ModelResult {
  /** The committed rows. */
  readonly table: ReadonlyMap<string, string>;
  /** The partitions of the topic. */
  readonly log: readonly (readonly ModelRecord[])[];
  readonly empty: readonly EmptyNotice[];
}

const TRANSACTIONS = 3;
const NOWHERE = { low: -1, high: -1 };

/**
 * A table in PostgreSQL, a connector and a topic. Commits are streamed in their order, each change with its own position
 * and that of the commit before, which is null from a snapshot to the first commit.
 */
export function runModel(steps: readonly Step[]): ModelResult {
  const table = new Map<string, string>();
  const open: Change[][] = Array.from({ length: TRANSACTIONS }, () => []);
  const commits: Commit[] = [];
  const log: ModelRecord[][] = [[]];
  const empty: EmptyNotice[] = [];
  let [wal, clock, skew, truncates, sent] = [100, FIRST_TIME_MS, 0, 0, 0];
  /** The commit to stream next, the one with which the stream began, and the position of the slot or snapshot. */
  let [next, begin, slot] = [0, 0, 0];
  let chunk: { low: number; high: number; rows: Map<string, string> | null } = { ...NOWHERE, rows: null };

  const advance = () => {
    wal += 8;
    return wal;
  };
  const tick = () => {
    clock += 1;
    return clock;
  };
  const isReading = () => chunk.low !== -1 && chunk.high === -1;
  const lockedBy = (one: Change): number =>
    open.findIndex((changes) =>
      changes.some(({ op, key }) => op === 't' || one.op === 't' || key === one.key),
    );
  const rowSeenBy = (by: number, key: string): string | null =>
    (open[by] ?? []).reduce<string | null>(
      (row, change) => (change.op === 't' ? null : change.key === key ? change.value : row),
      table.get(key) ?? null,
    );
  const mayWrite = (by: number, change: Omit<Change, 'lsn'>): boolean => {
    const owner = lockedBy({ ...change, lsn: 0 });
    return owner === -1 || (owner === by && change.op !== 't');
  };
  const write = (by: number, ...changes: Omit<Change, 'lsn'>[]) => {
    if (!changes.every((change) => mayWrite(by, change))) return;
    const lsn = advance();
    for (const change of changes) open[by]?.push({ ...change, lsn });
  };
  const commit = (changes: readonly Change[]) => {
    for (const { op, key, value } of changes) {
      if (op === 't') table.clear();
      else if (value === null) table.delete(key);
      else table.set(key, value);
    }
    commits.push({ lsn: advance(), timeMs: tick(), changes });
  };

  const send = (record: Omit<ModelRecord, 'timestamp' | 'sent'>) => {
    const partition = record.op === 't' ? truncates++ : Number(record.key.slice(1));
    log[partition % log.length]?.push({ ...record, timestamp: tick() + skew, sent: sent++ });
  };
  const lastCommit = (): number | null => (next === begin ? null : (commits[next - 1]?.lsn ?? null));
  const sourceOf = (commitLsn: number | null, lsn: number, timeMs: number, snapshot = 'false') => ({
    ...{ connector: 'postgresql', snapshot, ts_ms: timeMs, lsn },
    sequence: JSON.stringify([commitLsn, lsn].map((position) => (position === null ? null : `${position}`))),
  });
  const sendChunk = (rows: Iterable<readonly [string, string]>, at: number) => {
    for (const [key, value] of rows)
      send({ op: 'r', key, value, source: sourceOf(lastCommit(), at, clock, 'incremental') });
  };
  /** The rows of a snapshot have one position and time. It marks the first and, unless it dies, the last. */
  const sendRows = (rows: readonly (readonly [string, string])[], at: number, isWhole = true) => {
    const takenMs = tick();
    for (const [index, [key, value]] of rows.entries()) {
      const isLast = isWhole && index === rows.length - 1;
      const mark = isLast ? 'last' : index === 0 ? 'first' : 'true';
      send({ op: 'r', key, value, source: sourceOf(null, at, takenMs, mark) });
    }
    if (isWhole && rows.length === 0) empty.push({ takenMs, timestamp: tick() + skew, sent: sent++ });
  };
  const sendChange = ({ timeMs }: Commit, { op, key, value, lsn, other }: Change) => {
    const source = sourceOf(lastCommit(), lsn, timeMs);
    send({ op, key, value: op === 'c' && other !== undefined ? UNCHANGED : value, source, other });
    if (op === 'd') send({ op: 'tombstone', key, value: null, source });
  };
  const stream = (count: number) => {
    for (let left = count; left > 0 && next < commits.length && !isReading(); left--) {
      const one = commits[next] as Commit;
      for (const change of one.changes) {
        sendChange(one, change);
        if (next > chunk.low && change.op === 't') chunk.rows?.clear();
        else if (next > chunk.low) chunk.rows?.delete(change.key);
      }
      if (next === chunk.high) {
        sendChunk(chunk.rows ?? [], one.lsn - 4);
        chunk = { ...NOWHERE, rows: null };
      }
      next++;
    }
  };
  const restart = (to: number) => {
    next = Math.max(begin, to);
    // A chunk that was not sent is read again later.
    chunk = { ...NOWHERE, rows: null };
  };
  const isTruncating = () => open.some((changes) => changes.some(({ op }) => op === 't'));
  const snapshot = (lost: number, late: number) => {
    if (isTruncating()) return;
    chunk = { ...NOWHERE, rows: null };
    sendRows([...table].slice(0, lost), advance(), false);
    const end = Math.max(next, commits.length - late);
    slot = end === commits.length ? advance() : (commits[end]?.lsn ?? 0) - 1;
    [next, begin] = [end, end];
    sendRows([...table], slot);
  };

  for (const one of [...steps, ...closing]) {
    switch (one.step) {
      case 'write': {
        const key = `k${one.key}`;
        const before = rowSeenBy(one.by, key);
        if (one.removes && before === null) break;
        const value = one.removes ? null : `v${wal}`;
        write(one.by, { op: one.removes ? 'd' : before === null ? 'c' : 'u', key, value });
        break;
      }
      case 'move': {
        const [from, to] = [`k${one.key}`, `k${one.to}`];
        const value = rowSeenBy(one.by, from);
        if (value === null || rowSeenBy(one.by, to) !== null) break;
        write(
          one.by,
          { op: 'd', key: from, value: null, other: to },
          { op: 'c', key: to, value, other: from },
        );
        break;
      }
      case 'truncate':
        write(one.by, { op: 't', key: '', value: null });
        break;
      case 'end': {
        const changes = open[one.by] ?? [];
        open[one.by] = [];
        if (one.commits && changes.length > 0) commit(changes);
        break;
      }
      case 'stream':
        stream(one.commits);
        break;
      case 'restart': {
        const dying = isReading() ? undefined : commits[next];
        for (const change of dying?.changes.slice(0, one.sent) ?? []) sendChange(dying as Commit, change);
        restart(next - one.back);
        skew = one.clockMs;
        break;
      }
      case 'snapshot':
        snapshot(one.lost, one.late);
        break;
      case 'blocking':
        if (!isTruncating() && !isReading()) sendRows([...table], one.stale ? slot : advance());
        break;
      case 'low':
        if (chunk.low !== -1) break;
        commit([]);
        chunk = { low: commits.length - 1, high: -1, rows: null };
        break;
      case 'read':
        if (isReading() && chunk.rows === null && !isTruncating()) chunk.rows = new Map(table);
        break;
      case 'high':
        if (!isReading()) break;
        commit([]);
        chunk.high = commits.length - 1;
        break;
      case 'partitions':
        while (log.length < one.to) log.push([]);
        break;
    }
  }
  return { table, log, empty };
}

/** All transactions end, and all is streamed. */
const closing: readonly Step[] = [
  ...Array.from({ length: TRANSACTIONS }, (_, by): Step => ({ step: 'end', by, commits: true })),
  { step: 'high' },
  { step: 'stream', commits: Number.POSITIVE_INFINITY },
];

/** A record of the model, of a press mention with its value as the title, as ingest decodes it. */
export function modelRecord(
  { op, key, value, source, timestamp, other }: ModelRecord,
  { partition, offset }: { readonly partition: number; readonly offset: number },
): DecodedRecord {
  const after = value === null ? null : mention(key, value);
  const topic = `producers.${MENTIONS}`;
  const [schema, table] = MENTIONS.split('.');
  const origin = { ...source, name: 'producers', schema, table };
  const record = {
    topic,
    key: op === 't' ? null : JSON.stringify({ mention_id: key }),
    value:
      op === 'tombstone'
        ? null
        : JSON.stringify({ before: null, after, source: origin, op, ts_ms: timestamp }),
    headers:
      other === undefined
        ? {}
        : { [`__debezium.${op === 'd' ? 'new' : 'old'}key`]: JSON.stringify({ mention_id: other }) },
    offset,
    timestamp,
    readFrom: { topic, partition },
  };
  return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: () => 0 }) };
}
