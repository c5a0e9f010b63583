import { beforeEach, describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import {
  changeRecord,
  clearIngest,
  decodedRecord,
  eventTime,
  mentionChange,
} from '../../../test/support/ingest/dead-letters.ts';
import { storedMentions } from '../../../test/support/ingest/mentions.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { dryRunReplay } from '../dead-letters/dry-run.ts';
import { replayDeadLetters } from '../dead-letters/replay-dead-letters.ts';
import type { IncomingRecord } from '../decode/envelope.ts';
import { copySnapshot } from '../snapshots/copy-snapshot.ts';
import { raiseEpoch } from './epochs.ts';
import { ingestBatch } from './ingest-batch.ts';

const { pool } = withDatabase();
const TOPIC = `producers.${artistPressMentions.table}`;
const GIB = 2 ** 30;
const TIB = 2 ** 40;
const NOON = eventTime(100);
let registry: Registry;
let next: number;

beforeEach(async () => {
  await clearIngest(pool);
  registry = await registerSources(pool);
  next = 0;
});

const read = async (...records: IncomingRecord[]) => {
  const from = next === 0 ? null : next;
  const decoded = records.map((record) => decodedRecord({ ...record, offset: next++ }, registry));
  const topicPartition = { group: 'g', topic: TOPIC, partition: 0 };
  return ingestBatch(pool, registry, { topicPartition, records: decoded, from, to: next });
};

/** The same record with another origin in its envelope. */
function withOrigin(record: IncomingRecord, origin: Readonly<Record<string, unknown>>): IncomingRecord {
  const envelope = JSON.parse(String(record.value));
  const { sequence: _, lsn: __, ...rest } = envelope.source;
  return { ...record, value: JSON.stringify({ ...envelope, source: { ...rest, ...origin } }) };
}
/** A change at any 64-bit position. */
const at = (
  id: string,
  position: bigint,
  timeMs = NOON,
  more: Partial<Parameters<typeof changeRecord>[0]> = {},
) =>
  withOrigin(
    changeRecord({ key: { mention_id: id }, row: { title: String(position) }, lsn: 1, timeMs, ...more }),
    {
      ts_ms: timeMs,
      sequence: `["${position}","${position}"]`,
    },
  );
/** A change whose position is its time. */
const timed = (id: string, timeMs: number, op: 'u' | 't' = 'u') =>
  withOrigin(changeRecord({ key: { mention_id: id }, row: { title: 'timed' }, lsn: 1, timeMs, op }), {
    ts_ms: timeMs,
  });

const reasons = async () => {
  const { rows } = await pool.query(
    `select state, class, key, version, violations -> 0 ->> 'reason' as reason from ingest.dead_letter order by id`,
  );
  return rows.map(({ state, class: of, key, reason }) => [state, of, key, reason]);
};

const LARGEST = 2n ** 64n - 1n;

describe('a log position far ahead of all before', () => {
  it('is a dead letter, and the key goes on', async () => {
    await read(at('a', 1_000n));
    expect(await read(at('a', LARGEST))).toMatchObject({ applied: 0, deadLetters: 1 });
    expect(await reasons()).toEqual([['open', 'implausible', 'a', 'implausible_position']]);
    expect(await storedMentions(pool)).toEqual({ a: '1000' });
    await read(at('a', 1_001n));
    expect(await storedMentions(pool)).toEqual({ a: '1001' });
    expect((await reasons())[0]?.[0]).toBe('superseded');
  });

  it('is one as the first record of a source, in the same batch and as a delete', async () => {
    await read(at('a', LARGEST), at('a', 7n), at('a', LARGEST, NOON, { op: 'd' }));
    expect(await storedMentions(pool)).toEqual({ a: '7' });
    expect((await reasons()).map(([, , , reason]) => reason)).toEqual([
      'implausible_position',
      'implausible_position',
    ]);
  });

  it('may be any that a log of 30 years can have, if it is the first, whatever its time', async () => {
    const years30 = BigInt(30 * 365 * 86_400) * BigInt(GIB);
    expect(await read(at('a', years30 + BigInt(2 * TIB), 1_700_000_000))).toMatchObject({ deadLetters: 1 });
    expect(await read(at('a', years30, 1_700_000_000))).toMatchObject({ applied: 1 });
  });

  it('of a truncate leaves the table', async () => {
    await read(at('a', 1_000n));
    expect(await read(at('', LARGEST, NOON, { op: 't' }))).toMatchObject({ applied: 0, deadLetters: 1 });
    expect(await storedMentions(pool)).toEqual({ a: '1000' });
    await read(at('', 1_001n, NOON, { op: 't' }));
    expect(await storedMentions(pool)).toEqual({});
  });

  it('may leap by a tebibyte, and by a gibibyte for each second of its own time', async () => {
    await read(at('a', 1_000n));
    const weekMs = 7 * 86_400_000;
    const weekBytes = (weekMs / 1_000) * GIB + TIB;
    expect(await read(at('b', BigInt(1_000 + weekBytes + 4_096), NOON + weekMs))).toMatchObject({
      deadLetters: 1,
    });
    expect(await read(at('b', BigInt(1_000 + weekBytes), NOON + weekMs))).toMatchObject({ applied: 1 });
    expect(await read(at('c', BigInt(1_000 + weekBytes + TIB), NOON + weekMs))).toMatchObject({ applied: 1 });
    expect(await read(at('d', BigInt(1_000 + weekBytes + 2 * TIB + 4_096), NOON))).toMatchObject({
      deadLetters: 1,
    });
  });

  it('is one from a snapshot file too', async () => {
    const batch = {
      topicPartition: { group: 'snapshot', topic: 'file', partition: 0 },
      records: [decodedRecord(at('a', LARGEST), registry), decodedRecord(at('b', 5n), registry)],
      from: null,
      to: 2,
    };
    expect(await copySnapshot(pool, registry, batch)).toMatchObject({ applied: 1, deadLetters: 1 });
    expect(await storedMentions(pool)).toEqual({ b: '5' });
  });

  it('is applied by a replay only if the operator accepts it, and then the log goes on from there', async () => {
    await read(at('a', 1_000n));
    await read(at('a', 2n ** 62n));
    const options = { selector: {}, ratePerSecond: 1e6, actor: 'mia', why: 'it is right', target: 'all' };
    expect(await replayDeadLetters(pool, registry, options)).toMatchObject({ replayed: 0, open: 1 });
    expect(await reasons()).toEqual([['open', 'implausible', 'a', 'implausible_position']]);
    const accepted = { acceptsPositions: true };
    expect(await dryRunReplay(pool, {}, accepted)).toMatchObject([{ outcome: 'apply' }]);
    expect(await replayDeadLetters(pool, registry, { ...options, ...accepted })).toMatchObject({
      replayed: 1,
    });
    expect(await storedMentions(pool)).toEqual({ a: String(2n ** 62n) });
    expect(await read(at('b', 2n ** 62n + 1n))).toMatchObject({ applied: 1 });
  });
});

describe('another form of position than the one of the source', () => {
  it('is a dead letter, also of a truncate', async () => {
    await read(at('a', 1_000n));
    expect(await read(timed('a', NOON), timed('', NOON, 't'))).toMatchObject({ applied: 0, deadLetters: 2 });
    expect(await reasons()).toEqual([
      ['open', 'implausible', 'a', 'other_position_form'],
      ['open', 'implausible', null, 'other_position_form'],
    ]);
    expect(await storedMentions(pool)).toEqual({ a: '1000' });
  });

  it('is one the other way round', async () => {
    await read(timed('a', NOON));
    expect(await read(at('a', 2n ** 50n))).toMatchObject({ deadLetters: 1 });
    expect(await storedMentions(pool)).toEqual({ a: 'timed' });
  });

  it('is right after the epoch was raised', async () => {
    await read(at('a', 1_000n));
    await raiseEpoch(pool, registry, artistPressMentions, { actor: 'mia', reason: 'another connector' });
    await registry.readEpochs(pool);
    expect(await read(timed('a', NOON))).toMatchObject({ applied: 1 });
    expect(await storedMentions(pool)).toEqual({ a: 'timed' });
  });
});

describe('a position of MySQL', () => {
  const inFile = (id: string, file: number, timeMs = NOON, pos = 4) =>
    withOrigin(changeRecord({ key: { mention_id: id }, row: { title: String(file) }, lsn: 1, timeMs }), {
      ts_ms: timeMs,
      connector: 'mysql',
      file: `binlog.${String(file).padStart(6, '0')}`,
      pos,
      row: 0,
    });

  it('may leap by ten thousand files, and by one for each second of its own time', async () => {
    await read(inFile('a', 7));
    expect(await read(inFile('b', 10_008), inFile('b', 10_068, NOON + 60_000))).toMatchObject({
      deadLetters: 2,
    });
    expect(await read(inFile('b', 10_067, NOON + 60_000))).toMatchObject({ applied: 1 });
    expect(await read(inFile('b', 10_067, NOON + 60_000, 2 ** 32 - 1))).toMatchObject({ applied: 1 });
    expect(await storedMentions(pool)).toEqual({ a: '7', b: '10067' });
    expect((await reasons()).map(([, , , reason]) => reason)).toEqual([
      'implausible_position',
      'implausible_position',
    ]);
  });

  it('may be any that a log of 30 years can have, if it is the first', async () => {
    expect(await read(inFile('a', 2 ** 31), inFile('a', 900_000_000))).toMatchObject({
      applied: 1,
      deadLetters: 1,
    });
  });

  it('and those of PostgreSQL and MongoDB never mix in one table', async () => {
    const ofMongodb = withOrigin(
      changeRecord({ key: { mention_id: 'c' }, row: { title: 'c' }, lsn: 1, timeMs: NOON }),
      { ts_ms: NOON, connector: 'mongodb', ord: 1 },
    );
    await read(inFile('a', 7));
    expect(await read(at('b', 1_000n), ofMongodb, timed('d', NOON))).toMatchObject({ deadLetters: 3 });
    expect(new Set((await reasons()).map(([, , , reason]) => reason))).toEqual(
      new Set(['other_position_form']),
    );
    await raiseEpoch(pool, registry, artistPressMentions, { actor: 'mia', reason: 'moved to MongoDB' });
    await registry.readEpochs(pool);
    expect(await read(ofMongodb)).toMatchObject({ applied: 1 });
    expect(await read(inFile('a', 8))).toMatchObject({ deadLetters: 1 });
  });
});

describe('a time in the future', () => {
  const soon = () => Date.now() + 1_800_000;
  const later = () => Date.now() + 7_200_000;

  it('is a dead letter beyond an hour, of a change, a truncate and a tombstone', async () => {
    expect(await read(timed('a', soon()))).toMatchObject({ applied: 1 });
    const gone = mentionChange('a', 1, {}, { op: 'tombstone', timeMs: later() });
    expect(await read(timed('a', later()), timed('', later(), 't'), gone)).toMatchObject({ deadLetters: 3 });
    expect(new Set((await reasons()).map(([, , , reason]) => reason))).toEqual(new Set(['future_time']));
    expect(await storedMentions(pool)).toEqual({ a: 'timed' });
  });
});

describe('columns outside the contract', () => {
  const row = (bytes: number) => ({ extra: 'x'.repeat(bytes), more: 1 });

  it('may hold 64 kB a row; beyond it the row is a dead letter', async () => {
    expect(await read(mentionChange('a', 1, row(65_000)))).toMatchObject({ applied: 1 });
    expect(await read(mentionChange('b', 2, row(65_536)))).toMatchObject({ deadLetters: 1 });
    expect(await reasons()).toEqual([['open', 'contract', 'b', 'extras_too_large']]);
    expect(await read(mentionChange('b', 3, row(10)))).toMatchObject({ applied: 1 });
    expect((await reasons())[0]?.[0]).toBe('superseded');
  });
});
