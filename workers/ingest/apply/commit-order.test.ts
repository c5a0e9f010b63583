import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ModelResult,
  modelRecord,
  runModel,
  type Step,
} from '../../../test/support/ingest/debezium-model.ts';
import { MENTIONS } from '../../../test/support/ingest/mentions.ts';
import { ignoreKnownTombstone, type LastDelete, lastDeleteOf } from '../consume/decode-messages.ts';
import { compareVersions } from '../decode/compare-versions.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { endOfEmptySnapshot, removalVersion, removedVersion } from '../decode/version.ts';
import { fold, groupByKey, type MirrorState } from './fold.ts';
import { sortRecords } from './sort-records.ts';

/** The mirror of one table in memory, which applies batches as `ingestBatch` does. */
function mirror() {
  const states = new Map<string, MirrorState>();
  let floor: string | null = null;
  return {
    apply(records: readonly DecodedRecord[]) {
      const { changes, truncates } = sortRecords(records);
      for (const { version } of truncates) {
        if (floor !== null && compareVersions(version, floor) <= 0) continue;
        floor = version;
        for (const [key, state] of states)
          if (compareVersions(state.version, version) < 0) states.delete(key);
      }
      for (const group of groupByKey(changes, () => floor)) {
        const { state } = fold(states.get(group.key) ?? null, group);
        if (state !== null) states.set(group.key, state);
      }
    },
    /** Removes the rows that a snapshot lacks. */
    sweep({ version, takenMs, endedMs, isEmpty }: SnapshotEnd) {
      for (const [key, state] of states) {
        const { sourceTimeMs } = state;
        const isBrought = isOfSnapshot(state.version, version) && sourceTimeMs === takenMs;
        const isMissing = isEmpty
          ? sourceTimeMs < takenMs
          : compareVersions(state.version, version) < 0 && !isBrought && sourceTimeMs <= takenMs;
        if (state.row === null || !isMissing) continue;
        const gone = { row: null, links: [], orderKey: '', sourceTimeMs: endedMs, changedTimeMs: endedMs };
        const removal = removalVersion(0, takenMs);
        states.set(key, { ...state, ...gone, version: removedVersion(state.version, removal) });
      }
    },
    rows: () =>
      Object.fromEntries(
        [...states]
          .flatMap(([key, { row }]) => (row === null ? [] : [[key, JSON.parse(row).title] as const]))
          .sort(),
      ),
  };
}

/** Reads: of which partition, how many records, and whether it first goes back by so many. */
type Read = readonly [partition: number, count: number, back: number];

interface SnapshotEnd {
  readonly version: string;
  readonly takenMs: number;
  readonly endedMs: number;
  readonly isEmpty: boolean;
  /** How many records were sent before it. */
  readonly sent: number;
}

const isOfSnapshot = (version: string, end: string): boolean =>
  version.endsWith('r') && version.slice(0, 40) === end.slice(0, 40);

function endsOf({ log, empty }: ModelResult): SnapshotEnd[] {
  const ofRows = log.flatMap((records, partition) =>
    records.flatMap((record, offset) => {
      const { decoded } = modelRecord(record, { partition, offset });
      if (record.source.snapshot !== 'last' || decoded.kind !== 'upsert') return [];
      const { version, sourceTimeMs } = decoded;
      const { timestamp: endedMs, sent } = record;
      return [{ version, takenMs: sourceTimeMs, endedMs, sent, isEmpty: false }];
    }),
  );
  const ofNone = empty.map(({ takenMs, timestamp, sent }) => {
    const version = endOfEmptySnapshot(0, `producers.${MENTIONS}`, timestamp);
    return { version, takenMs, endedMs: timestamp, sent, isEmpty: true };
  });
  return [...ofRows, ...ofNone].sort((a, b) => a.sent - b.sent);
}

/** Reads as told, then all that is left. What a snapshot lacks is removed as soon as all is read that was sent before its end. */
function consume(result: ModelResult, reads: readonly Read[]) {
  const { log } = result;
  const { apply, rows, sweep } = mirror();
  let ends = endsOf(result);
  /** How many records were sent before the newest end whose rows were removed. */
  let swept = Number.NEGATIVE_INFINITY;
  const positions = log.map(() => 0);
  const lastDeletes = log.map((): LastDelete | null => null);
  const read = (partition: number, count: number, back: number) => {
    const records = log[partition] ?? [];
    let from = Math.max(0, (positions[partition] ?? 0) - back);
    // An operator starts again with the delete, not with its tombstone.
    if (back > 0 && records[from]?.op === 'tombstone') from--;
    // Not to before a removal: the page on rows that a snapshot lacks names this exception.
    while (from < (positions[partition] ?? 0) && (records[from]?.sent ?? 0) <= swept) from++;
    const batch = records
      .slice(from, from + count)
      .map((record, index) => modelRecord(record, { partition, offset: from + index }));
    const known = back > 0 ? null : (lastDeletes[partition] ?? null);
    const heard = ignoreKnownTombstone(batch, known);
    apply(heard);
    positions[partition] = from + batch.length;
    lastDeletes[partition] = lastDeleteOf(heard);
    const isDue = ({ sent }: SnapshotEnd) =>
      log.every((all, at) => (all[positions[at] ?? 0]?.sent ?? Number.POSITIVE_INFINITY) > sent);
    for (const end of ends.filter(isDue)) {
      sweep(end);
      swept = Math.max(swept, end.sent);
    }
    ends = ends.filter((end) => !isDue(end));
  };
  for (const [partition, count, back] of reads) read(partition % log.length, count, back);
  for (const partition of log.keys()) read(partition, Number.POSITIVE_INFINITY, 0);
  return rows();
}

const small = fc.nat({ max: 3 });
const by = fc.nat({ max: 2 });
const writes = fc.record({
  step: fc.constant('write' as const),
  by,
  key: fc.nat({ max: 3 }),
  removes: fc.nat({ max: 4 }).map((one) => one === 0),
});
const others = (more: readonly fc.Arbitrary<Step>[]): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 8, arbitrary: writes },
    {
      weight: 6,
      arbitrary: fc.record({ step: fc.constant('end'), by, commits: small.map((one) => one > 0) }),
    },
    { weight: 5, arbitrary: fc.record({ step: fc.constant('stream'), commits: small }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('truncate'), by }) },
    { weight: 2, arbitrary: fc.record({ step: fc.constant('snapshot'), lost: small, late: small }) },
    { weight: 2, arbitrary: fc.record({ step: fc.constant('blocking'), stale: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ step: fc.constantFrom('low', 'read', 'high') }) },
    ...more.map((arbitrary) => ({ weight: 2, arbitrary })),
  ) as fc.Arbitrary<Step>;
const restart = (clockMs: fc.Arbitrary<number>) =>
  fc.record({ step: fc.constant('restart' as const), sent: small, back: small, clockMs });
const reads = fc.array(fc.tuple(by, fc.nat({ max: 8 }), fc.oneof(fc.constant(0), fc.nat({ max: 12 }))), {
  maxLength: 30,
});
const history = (more: readonly fc.Arbitrary<Step>[]) =>
  fc.array(others(more), { maxLength: 60, size: 'max' });

const RUNS = { numRuns: 1_500 };

describe('the mirror after any history of a table and its connector', () => {
  const holds = (steps: readonly Step[], given: readonly Read[]) => {
    const result = runModel(steps);
    expect(consume(result, given)).toEqual(Object.fromEntries([...result.table].sort()));
  };

  it('is the committed table, when the connector moves between hosts whose clocks differ', () => {
    const clock = fc.constantFrom(0, -30_000, 30_000);
    fc.assert(fc.property(history([restart(clock)]), reads, holds), RUNS);
  });

  it('is the committed table, when partitions are added to the topic', () => {
    const partitions = fc.record({ step: fc.constant('partitions' as const), to: fc.constantFrom(2, 3) });
    // Rows after a truncate in a transaction that a snapshot repeats: the decision page names this exception.
    const steps = history([restart(fc.constant(0)), partitions]).map((all) =>
      all.some(({ step }) => step === 'truncate')
        ? all.map((one) => (one.step === 'snapshot' ? { ...one, late: 0 } : one))
        : all,
    );
    fc.assert(fc.property(steps, reads, holds), RUNS);
  });

  it('contains what a transaction wrote before a snapshot and committed after it', () => {
    const result = runModel([
      { step: 'write', by: 0, key: 1, removes: false },
      { step: 'end', by: 0, commits: true },
      { step: 'write', by: 1, key: 1, removes: false },
      { step: 'snapshot', lost: 0, late: 0 },
      { step: 'end', by: 1, commits: true },
    ]);
    const [read, update] = result.log[0] ?? [];
    expect([read?.op, update?.op, update?.source.sequence]).toEqual([
      'r',
      'u',
      expect.stringMatching(/^\[null/),
    ]);
    expect(Number(update?.source.lsn)).toBeLessThan(Number(read?.source.lsn));
    expect(consume(result, [])).toEqual({ k1: update?.value });
  });
});
