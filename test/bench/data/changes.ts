import { artistOf } from './artist.ts';
import { type ChangeEvent, changeEvent } from './events.ts';
import { momentum } from './facts.ts';
import { coEvent, pressMention, work } from './lists.ts';
import type { Random } from './random.ts';
import type { SourceRow } from './rows.ts';

type Artist = ReturnType<typeof artistOf>['artist'];

/** Row makers of four sources, each with a column that differs between any two changes. */
const streams: readonly ((artist: Artist, random: Random, change: number) => SourceRow)[] = [
  (artist, random, change) => withColumn(coEvent(artist, 0, random), 'co_event_count', change),
  (artist, random, change) => withColumn(pressMention(artist, 0, random), 'title', `Change ${change}`),
  (artist, random, change) => withColumn(work(artist, 0, random), 'owner_reach', change),
  (artist, random, change) => withColumn(momentum(artist, random), 'events_recent', change),
];

const withColumn = ({ source, row }: SourceRow, column: string, value: unknown): SourceRow => ({
  source,
  row: { ...row, [column]: value },
});

interface ChangeRange {
  readonly seed: number;
  readonly artists: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The changes numbered `from` up to but not including `to`: of one artist of `artists` after the other, each of which
 * alters what its dossier says. Later numbers are later in the producers' logs.
 */
export function* generateChanges({ seed, artists, from, to }: ChangeRange): Generator<ChangeEvent> {
  for (let number = from; number < to; number++) {
    const { artist, random } = artistOf(seed, Math.floor(number / streams.length) % artists);
    const make = streams[number % streams.length] as (typeof streams)[number];
    yield changeEvent(make(artist, random, number), 'u', number);
  }
}

/** A change of an artist's momentum, identified by its number, which is also its count of recent events. */
export function momentumChange(seed: number, index: number, number: number): ChangeEvent {
  const { artist, random } = artistOf(seed, index);
  return changeEvent(withColumn(momentum(artist, random), 'events_recent', number), 'u', number);
}
