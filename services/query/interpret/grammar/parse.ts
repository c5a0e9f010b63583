import { capitalisedLength } from './capitals.ts';
import { readDjs, readFormat, readMusic, readOrigin, readPlace } from './facets.ts';
import { FILLERS } from './fillers.ts';
import { readLabel, readLabelName } from './labels.ts';
import { readBy, readLike, readQuoted } from './names.ts';
import { readLeftOut, readNegation } from './negation.ts';
import { readPeople } from './people.ts';
import { type Fact, firstReading, type ReadFact, type Reading, type Scene } from './reading.ts';
import { withTitles } from './titles.ts';
import { readYears } from './years.ts';

/** A stretch of words and what was made of it; null where nothing was. */
export interface Part {
  readonly start: number;
  readonly length: number;
  readonly fact: Fact | null;
  /** What joins it to the part before. */
  readonly joint: Joint;
}

/** `and` and `or` where one of them stands between two parts, `pause` for a comma and its like. */
export type Joint = 'and' | 'or' | 'pause' | 'none';

/** In the order in which they may take the words. */
const READERS: readonly ReadFact[] = [readQuoted, readNegation, readLike, readDjs, readPeople];
/** Of those, the words of a capitalised name are not for. */
const PLAIN_READERS: readonly ReadFact[] = [readMusic, readYears, readFormat, readOrigin, readLabel, readBy];

const JOINTS: ReadonlyMap<string, Joint> = new Map([
  ['and', 'and'],
  ['or', 'or'],
  ['nor', 'or'],
]);

/** The parts of a text, fillers left out where they are not within a name. */
export async function parse(scene: Scene): Promise<Part[]> {
  const { reader } = scene;
  const parts: Part[] = [];
  let joint: Joint = 'none';
  for (let index = 0; index < reader.words.length; ) {
    const word = reader.words[index];
    const joins = word?.kind === 'pause' ? 'pause' : (JOINTS.get(reader.at(index)) ?? null);
    if (joins !== null) {
      // A comma before "and" or "or" says nothing more.
      if (joint === 'none' || joint === 'pause') joint = joins;
      index++;
      continue;
    }
    const { length, fact } = await readNext(scene, index, parts.at(-1)?.fact ?? null, joint);
    const isFiller = fact === null && length === 1 && isIdle(scene, index);
    if (!isFiller && fact?.kind !== 'idle') {
      parts.push({ start: index, length, fact, joint });
      joint = 'none';
    }
    index += length;
  }
  return withAllPlaces(scene, withTitles(scene, parts));
}

/** Whether a word says nothing by itself, and begins no place either, as in "New York". */
function isIdle(scene: Scene, index: number): boolean {
  const isPlace = (placeAt(scene, index)?.end ?? index) > index + 1;
  return FILLERS.has(scene.reader.at(index)) && scene.reader.words[index]?.text !== 'US' && !isPlace;
}

/** What comes next; words of no fact where nothing is made of them. */
async function readNext(
  scene: Scene,
  index: number,
  previous: Fact | null,
  joint: Joint,
): Promise<Omit<Reading, 'fact'> & { readonly fact: Fact | null }> {
  const listed = await readListed(scene, index, previous, joint);
  const reading = listed ?? (await firstReading(READERS, scene, index));
  if (reading !== null) return reading;
  const length = await capitalisedLength(scene, index);
  if (length > 0) return { length, fact: null };
  return (await firstReading(PLAIN_READERS, scene, index)) ?? { length: 1, fact: null };
}

/** What goes on with what was read before. */
async function readListed(
  scene: Scene,
  index: number,
  previous: Fact | null,
  joint: Joint,
): Promise<Reading | null> {
  const isListed = joint === 'and' || joint === 'or';
  if (joint === 'or' && isNegative(previous)) return readLeftOut(scene, index);
  if (isListed && previous?.kind === 'label') {
    const label = await readLabelName(scene, index);
    if (label !== null) return label;
  }
  if (joint !== 'none' && previous?.kind === 'country') {
    const place = readPlace(scene, index);
    if (place !== null) return place;
  }
  return null;
}

const isNegative = (fact: Fact | null): boolean =>
  fact?.kind === 'without-artist' || fact?.kind === 'without-label' || fact?.kind === 'inexpressible';

/** A place may be one only by the place behind it, so that they are looked for until no more is found. */
function withAllPlaces(scene: Scene, parts: readonly Part[]): Part[] {
  const countries = (some: readonly Part[]): number =>
    some.filter(({ fact }) => fact?.kind === 'country').length;
  let read = withPlaces(scene, parts);
  for (let before = countries(parts); countries(read) > before; ) {
    before = countries(read);
    read = withPlaces(scene, read);
  }
  return read;
}

/**
 * Places that stand by themselves are read only where what is beside them is of the kind: before music the name of a
 * city is where it is from, else it may be a band or a title.
 */
function withPlaces(scene: Scene, parts: readonly Part[]): Part[] {
  const hasMusic = parts.some(({ fact }) => fact?.kind === 'music');
  const read: Part[] = [];
  for (let index = 0; index < parts.length; ) {
    const part = parts[index];
    if (part === undefined) break;
    const place = part.fact === null ? placeAt(scene, part.start) : null;
    const covered = place === null ? 1 : countCovered(parts, index, place.end);
    if (place !== null && covered > 0 && isMeant(parts, index + covered, place, hasMusic)) {
      const fact = { kind: 'country', country: place.country } as const;
      read.push({ ...part, length: place.end - part.start, fact });
      index += covered;
    } else {
      read.push(part);
      index++;
    }
  }
  return read;
}

interface PlaceName {
  readonly country: string | null;
  readonly isAdjective: boolean;
  /** The word behind it. */
  readonly end: number;
}

function placeAt({ reader, lexicon }: Scene, index: number): PlaceName | null {
  for (let length = reader.stretch(index, 3); length > 0; length--) {
    const text = reader.slice(index, length);
    const place = text === 'us' ? null : lexicon.place(text);
    if (place !== null) return { ...place, end: index + length };
  }
  return null;
}

/** How many parts a name is made of; 0 where it ends within one. */
function countCovered(parts: readonly Part[], index: number, end: number): number {
  let count = 0;
  for (const part of parts.slice(index)) {
    if (part.start >= end) return count;
    if (part.fact !== null || part.start + part.length > end) return 0;
    count++;
  }
  return count;
}

function isMeant(
  parts: readonly Part[],
  next: number,
  { isAdjective }: PlaceName,
  hasMusic: boolean,
): boolean {
  const kind = parts[next]?.fact?.kind;
  const isBeforeFacet = kind === 'music' || kind === 'format' || kind === 'years' || kind === 'country';
  return isBeforeFacet || (isAdjective && (hasMusic || parts.length === 1));
}
