import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/sources/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../projections/sources/seen/artist-momentum.ts';
import { decodeRow, type Upsert } from '../decode/envelope.ts';
import { changeVersion, removalVersion, snapshotVersion } from '../decode/version.ts';
import { type Change, fold, groupByKey, type MirrorState, needsStored } from './fold.ts';

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

const remove = (version: string, timeMs: number): Change => ({
  kind: 'delete',
  source: artistPressMentions,
  key: 'm1',
  subject: null,
  version,
  sourceTimeMs: timeMs,
});

const tombstone = (timestamp: number | null, version = '0'): Change => ({
  kind: 'tombstone',
  source: artistPressMentions,
  key: 'm1',
  timestamp,
  version,
});

function folded(stored: MirrorState | null, ...changes: Change[]) {
  return fold(stored, { source: artistPressMentions, key: 'm1', changes });
}

const title = (state: MirrorState | null): unknown =>
  state?.row == null ? null : JSON.parse(state.row).title;

describe('changes of one key folded onto its state', () => {
  it('keep the newest version, in whatever order they come', () => {
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

  it('forget the row of a deleted key, but neither its version nor what it was about', () => {
    const { state } = folded(null, write('1', 10), remove('2', 20));
    expect(state).toMatchObject({ row: null, version: '2', subject: mention.cluster_id, links: [] });
    expect(folded(state, write('1', 10)).state).toBe(state);
    expect(title(folded(state, write('3', 30)).state)).toBe('One');
  });

  it('complete a column that was left out, and refuse it where there is nothing to take it from', () => {
    const partial = write('2', 20, { title: '__debezium_unavailable_value', outlet: 'New' });
    const { state } = folded(folded(null, write('1', 10)).state, partial);
    expect(JSON.parse(state?.row ?? '')).toMatchObject({ title: 'One', outlet: 'New' });
    expect(folded(null, partial)).toEqual({
      state: null,
      refused: [{ change: partial, missing: ['title'] }],
    });
    expect(
      folded(folded(null, write('1', 10), remove('2', 20)).state, { ...partial, version: '3' }).refused,
    ).toHaveLength(1);
  });

  it('let a tombstone stand for the delete that compaction took away, and for nothing else', () => {
    const { state } = folded(null, write('1', 10));
    expect(folded(state, tombstone(15)).state?.row).toBeNull();
    expect(folded(state, tombstone(15), write('1', 10)).state?.row).toBeNull();
    expect(title(folded(state, tombstone(15), write('3', 30)).state)).toBe('One');
    // One from before the row was made, or of unknown age, says nothing about it.
    expect(folded(state, tombstone(5)).state).toBe(state);
    expect(folded(state, tombstone(null)).state).toBe(state);
  });

  it('keep a row that was made again when the delete before it is sent once more, tombstone and all', () => {
    const { state } = folded(null, write('2', 20, { title: 'Again' }));
    expect(folded(state, remove('1', 10), tombstone(99)).state).toBe(state);
  });

  it('remember a lone tombstone of which nothing is stored, and the newest of several', () => {
    const { state } = folded(null, tombstone(15, '015'));
    expect(state).toMatchObject({ row: null, subject: null, version: '015', sourceTimeMs: 15 });
    expect(folded(state, write('010', 10)).state).toBe(state);
    expect(title(folded(state, write('020', 20)).state)).toBe('One');
    expect(folded(state, tombstone(25, '025')).state).toMatchObject({ version: '025', changedTimeMs: 15 });
    expect(folded(state, tombstone(5, '005')).state).toBe(state);
    expect(folded(null, tombstone(null, '015')).state).toBeNull();
    // A deletion with a place in the log is newer than any tombstone.
    const deleted = folded(null, remove('2', 20)).state;
    expect(folded(deleted, tombstone(25, '025')).state).toBe(deleted);
    expect(folded(folded(null, write('010', 10)).state, tombstone(15, '015')).state?.version).toBe('015');
  });

  it('let a row that has waited lose to a tombstone that came after its record', () => {
    const waiting = (recordTimeMs: number): Upsert => ({ ...write('31', 30), recordTimeMs });
    for (const stored of [null, write('11', 10)]) {
      const { state } =
        stored === null ? folded(null, tombstone(40, '032')) : folded(null, stored, tombstone(40));
      expect(folded(state, waiting(39)).state).toBe(state);
      expect(title(folded(state, waiting(40)).state)).toBe('One');
      expect(title(folded(state, write('31', 30)).state)).toBe('One');
    }
    // A deletion with a place in the log is compared by that.
    const deleted = folded(null, remove('20', 50)).state;
    expect(title(folded(deleted, waiting(39)).state)).toBe('One');
  });
});

describe('rows of snapshots, streamed changes and lone tombstones of one key', () => {
  const snapshot = (timeMs: number): Change =>
    write(snapshotVersion(0, timeMs), timeMs, { title: `snapshot ${timeMs}` });
  const loneTombstone = (timeMs: number): Change => tombstone(timeMs, removalVersion(0, timeMs));
  const streamed = (lsn: number, isDelete: boolean): Change => {
    const place = { sequence: null, lsn, sourceTimeMs: 5, offset: 0 };
    const version = changeVersion(0, place, isDelete) ?? '';
    return isDelete ? remove(version, 5) : write(version, 5, { title: `streamed ${lsn}` });
  };
  const time = fc.integer({ min: 1, max: 6 });
  const file = fc.oneof(time.map(snapshot), time.map(loneTombstone));
  const stream = fc.tuple(time, fc.boolean()).map(([lsn, isDelete]) => streamed(lsn, isDelete));
  const newest = (changes: readonly Change[]) =>
    changes.toSorted((a, b) => (a.version < b.version ? -1 : 1)).at(-1);
  const content = (change: Change | undefined) =>
    change?.kind === 'upsert' ? JSON.parse(change.row).title : null;

  it.each([
    ['files alone', fc.array(file, { minLength: 1, maxLength: 6 })],
    ['files and the stream', fc.array(fc.oneof(time.map(snapshot), stream), { minLength: 1, maxLength: 6 })],
  ])('end in the newest, in whatever order they come: %s', (_, changes) => {
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
  it('leaves out what a truncate has overtaken', () => {
    const groups = groupByKey([write('1', 10), write('3', 30)], () => '2');
    expect(groups).toHaveLength(1);
    expect(groups[0]?.changes.map((change) => change.kind === 'upsert' && change.version)).toEqual(['3']);
  });

  it('asks for the stored row only where the outcome depends on it', () => {
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
