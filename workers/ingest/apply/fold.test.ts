import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { decodeRow, type Upsert } from '../decode/envelope.ts';
import { changeVersion, removalVersion, snapshotVersion } from '../decode/version.ts';
import { fold, groupByKey, type MirrorState, needsStored, type RowChange } from './fold.ts';

const mention = {
  cluster_id: 'a'.repeat(64),
  mention_id: 'm1',
  outlet: 'The Wire',
  title: 'One',
  url: 'https://wire.example/1',
  kind: 'review',
  published_at: '2019-01-01T00:00:00Z',
  source_repo: null,
};

function write(version: string, timeMs: number, columns: object = {}): Upsert {
  const decoded = decodeRow(
    artistPressMentions,
    { ...mention, ...columns },
    { version, sourceTimeMs: timeMs },
  );
  if (decoded.kind !== 'upsert') throw new Error(JSON.stringify(decoded));
  return decoded;
}

const remove = (version: string, timeMs: number): RowChange => ({
  kind: 'delete',
  source: artistPressMentions,
  key: 'm1',
  subject: null,
  version,
  sourceTimeMs: timeMs,
});

const tombstone = (timestamp: number | null, version = '0'): RowChange => ({
  kind: 'tombstone',
  source: artistPressMentions,
  key: 'm1',
  timestamp,
  version,
});

function folded(stored: MirrorState | null, ...changes: RowChange[]) {
  return fold(stored, { source: artistPressMentions, key: 'm1', changes });
}

const title = (state: MirrorState | null): unknown =>
  state?.row == null ? null : JSON.parse(state.row).title;

describe('changes of one key folded onto its state', () => {
  it('keep the newest version in any order', () => {
    const [first, second] = [write('1', 10, { title: 'One' }), write('2', 20, { title: 'Two' })];
    expect(title(folded(null, first, second).state)).toBe('Two');
    expect(title(folded(null, second, first).state)).toBe('Two');
    expect(folded(folded(null, second).state, first).state).toEqual(folded(null, second).state);
  });

  it('take over the version of an equal row but not its time of change', () => {
    const { state } = folded(null, write('1', 10), write('2', 20));
    expect(state).toMatchObject({ version: '2', sourceTimeMs: 20, changedTimeMs: 10 });
    expect(
      folded(null, write('1', 10), write('2', 20, { title: 'B' }), write('3', 30)).state?.changedTimeMs,
    ).toBe(30);
  });

  it('take over where an equal change was read, so that a tombstone read before it has no effect', () => {
    const partition = { topic: 'producers.a', partition: 0 };
    const readAt = (offset: number): string => {
      const delivery = { partition, timeMs: 10, hasOwnPosition: true };
      const at = { lsn: 1005, sequence: '["1004","1005"]', sourceTimeMs: 10, offset };
      return changeVersion(0, { ...at, delivery }, false) ?? '';
    };
    const between = tombstone(10, removalVersion(0, 10, { partition, offset: 6 }));
    const once = folded(null, write(readAt(3), 10));
    expect(title(folded(once.state, between).state)).toBeNull();
    const repeated = folded(once.state, write(readAt(7), 10));
    expect(repeated.outcomes).toEqual(['equal']);
    expect(title(folded(repeated.state, between).state)).toBe('One');
  });

  it('drop the row of a deleted key, but keep its version and subjects', () => {
    const { state } = folded(null, write('1', 10), remove('2', 20));
    expect(state).toMatchObject({ row: null, version: '2', subject: mention.cluster_id, links: [] });
    expect(folded(state, write('1', 10)).state).toBe(state);
    expect(title(folded(state, write('3', 30)).state)).toBe('One');
  });

  it('complete a column that was left out, and report it as missing without a stored row', () => {
    const partial = write('2', 20, { title: '__debezium_unavailable_value', outlet: 'New' });
    const { state } = folded(folded(null, write('1', 10)).state, partial);
    expect(JSON.parse(state?.row ?? '')).toMatchObject({ title: 'One', outlet: 'New' });
    expect(folded(null, partial)).toEqual({
      state: null,
      outcomes: ['deadLetters'],
      incomplete: [{ change: partial, missing: ['title'] }],
      moved: [],
    });
    expect(
      folded(folded(null, write('1', 10), remove('2', 20)).state, { ...partial, version: '3' }).incomplete,
    ).toHaveLength(1);
  });

  it('apply a tombstone only in place of a delete that compaction removed', () => {
    const { state } = folded(null, write('1', 10));
    expect(folded(state, tombstone(15)).state?.row).toBeNull();
    expect(folded(state, tombstone(15), write('1', 10)).state?.row).toBeNull();
    expect(title(folded(state, tombstone(15), write('3', 30)).state)).toBe('One');
    // A tombstone from before the row was written, or of unknown age, does not affect it.
    expect(folded(state, tombstone(5)).state).toBe(state);
    expect(folded(state, tombstone(null)).state).toBe(state);
  });

  it('keep a recreated row when the earlier delete and its tombstone are repeated', () => {
    const { state } = folded(null, write('2', 20, { title: 'Again' }));
    expect(folded(state, remove('1', 10), tombstone(99)).state).toBe(state);
  });

  it('store a lone tombstone of an unknown key, and the newest of several', () => {
    const { state } = folded(null, tombstone(15, '015'));
    expect(state).toMatchObject({ row: null, subject: null, version: '015', sourceTimeMs: 15 });
    expect(folded(state, write('010', 10)).state).toBe(state);
    expect(title(folded(state, write('020', 20)).state)).toBe('One');
    expect(folded(state, tombstone(25, '025')).state).toMatchObject({ version: '025', changedTimeMs: 15 });
    expect(folded(state, tombstone(5, '005')).state).toBe(state);
    expect(folded(null, tombstone(null, '015')).state).toBeNull();
    // A deletion with a log position is newer than any tombstone.
    const deleted = folded(null, remove('2', 20)).state;
    expect(folded(deleted, tombstone(25, '025')).state).toBe(deleted);
    expect(folded(folded(null, write('010', 10)).state, tombstone(15, '015')).state?.version).toBe('015');
  });

  it('let a delayed row lose to a tombstone that came after its record', () => {
    const at = (lsn: number) =>
      changeVersion(0, { sequence: null, lsn, sourceTimeMs: lsn, offset: 0 }, false) ?? '';
    const waiting = (recordTimeMs: number): Upsert => ({ ...write(at(31), 30), recordTimeMs });
    for (const stored of [null, write(at(11), 10)]) {
      const gone = tombstone(40, removalVersion(0, 40));
      const { state } = stored === null ? folded(null, gone) : folded(null, stored, gone);
      expect(folded(state, waiting(39)).state).toBe(state);
      expect(title(folded(state, waiting(40)).state)).toBe('One');
      expect(title(folded(state, write(at(31), 30)).state)).toBe('One');
    }
    // A deletion with a log position is compared by it.
    const deleted = folded(null, remove(at(20), 50)).state;
    expect(title(folded(deleted, waiting(39)).state)).toBe('One');
  });
});

describe('rows of snapshots, streamed changes and lone tombstones of one key', () => {
  const snapshot = (timeMs: number): RowChange =>
    write(snapshotVersion(0, timeMs), timeMs, { title: `snapshot ${timeMs}` });
  const loneTombstone = (timeMs: number): RowChange => tombstone(timeMs, removalVersion(0, timeMs));
  const streamed = (lsn: number, isDelete: boolean): RowChange => {
    const place = { sequence: null, lsn, sourceTimeMs: 5, offset: 0 };
    const version = changeVersion(0, place, isDelete) ?? '';
    return isDelete ? remove(version, 5) : write(version, 5, { title: `streamed ${lsn}` });
  };
  const time = fc.integer({ min: 1, max: 6 });
  const file = fc.oneof(time.map(snapshot), time.map(loneTombstone));
  const stream = fc.tuple(time, fc.boolean()).map(([lsn, isDelete]) => streamed(lsn, isDelete));
  const newest = (changes: readonly RowChange[]) =>
    changes.toSorted((a, b) => (a.version < b.version ? -1 : 1)).at(-1);
  const content = (change: RowChange | undefined) =>
    change?.kind === 'upsert' ? JSON.parse(change.row).title : null;

  it.each([
    ['files alone', fc.array(file, { minLength: 1, maxLength: 6 })],
    ['files and the stream', fc.array(fc.oneof(time.map(snapshot), stream), { minLength: 1, maxLength: 6 })],
  ])('end in the newest in any order: %s', (_, changes) => {
    fc.assert(
      fc.property(changes, (given) => {
        expect(title(folded(null, ...given).state)).toBe(content(newest(given)));
        const oneByOne = given.reduce<MirrorState | null>(
          (state, change) => folded(state, change).state,
          null,
        );
        expect(title(oneByOne)).toBe(content(newest(given)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('grouping', () => {
  it('omits changes older than a truncate', () => {
    const groups = groupByKey([write('1', 10), write('3', 30)], () => '2');
    expect(groups).toHaveLength(1);
    expect(groups[0]?.changes.map((change) => change.kind === 'upsert' && change.version)).toEqual(['3']);
  });

  it('needs the stored row only if the result depends on it', () => {
    const momentum = {
      kind: 'delete',
      source: artistMomentum,
      key: 'a',
      subject: 'a',
      version: '1',
      sourceTimeMs: 1,
    } as const;
    expect(needsStored({ source: artistMomentum, key: 'a', changes: [momentum] })).toBe(false);
    expect(needsStored({ source: artistMomentum, key: 'a', changes: [momentum, momentum] })).toBe(true);
    expect(needsStored({ source: artistPressMentions, key: 'm1', changes: [write('1', 1)] })).toBe(true);
    const upsert: Upsert = { ...write('1', 1), source: artistMomentum };
    expect(needsStored({ source: artistMomentum, key: 'a', changes: [upsert] })).toBe(false);
    expect(needsStored({ source: artistMomentum, key: 'a', changes: [{ ...upsert, recordTimeMs: 1 }] })).toBe(
      true,
    );
  });
});
