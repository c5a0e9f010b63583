import { describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/sources/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../projections/sources/seen/artist-momentum.ts';
import { decodeRow, type Upsert } from '../decode/envelope.ts';
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

const tombstone = (timestamp: number | null): Change => ({
  kind: 'tombstone',
  source: artistPressMentions,
  key: 'm1',
  timestamp,
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
    expect(folded(null, tombstone(15)).state).toBeNull();
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
  });
});
