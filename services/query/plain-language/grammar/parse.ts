import { capitalisedLength } from './capitals.ts';
import { readDjs, readFormat, readMusic, readOrigin, readPlace } from './facets.ts';
import { FILLERS } from './fillers.ts';
import { readLabel, readLabelName } from './labels.ts';
import { readBy, readLike, readQuoted } from './names.ts';
import { readExcluded, readNegation } from './negation.ts';
import { readPeople } from './people.ts';
import {
  type Fact,
  type FactReading,
  firstReading,
  type Joint,
  type ReadFact,
  type Scene,
  type TextPart,
} from './reading.ts';
import { readYears } from './years.ts';

/** In order of precedence. */
const READERS: readonly ReadFact[] = [readQuoted, readNegation, readLike, readDjs, readPeople];
/** Readers that do not apply to words of a capitalised name. */
const PLAIN_READERS: readonly ReadFact[] = [readMusic, readYears, readFormat, readOrigin, readLabel, readBy];

const JOINTS: ReadonlyMap<string, Joint> = new Map([
  ['and', 'and'],
  ['or', 'or'],
  ['nor', 'or'],
]);

/** The parts of a text, without fillers outside names. */
export async function parse(scene: Scene): Promise<TextPart[]> {
  const { reader } = scene;
  const parts: TextPart[] = [];
  let joint: Joint = 'none';
  for (let index = 0; index < reader.words.length; ) {
    const word = reader.words[index];
    const joins = word?.kind === 'pause' ? 'pause' : (JOINTS.get(reader.at(index)) ?? null);
    if (joins !== null) {
      // "And" or "or" overrides a preceding comma.
      if (joint === 'none' || joint === 'pause') joint = joins;
      index++;
      continue;
    }
    const { length, fact } = await readNext(scene, index, {
      previous: parts.at(-1)?.fact ?? null,
      joint,
    });
    const isFiller = fact === null && length === 1 && isIdle(scene, index);
    if (!isFiller && fact?.kind !== 'idle') {
      parts.push({ start: index, length, fact, joint });
      joint = 'none';
    }
    index += length;
  }
  return withAllPlaces(scene, withTitles(scene, parts));
}

/** Whether a word is a filler and does not begin a place such as "New York". */
function isIdle(scene: Scene, index: number): boolean {
  const isPlace = (placeAt(scene, index)?.end ?? index) > index + 1;
  return FILLERS.has(scene.reader.at(index)) && scene.reader.words[index]?.text !== 'US' && !isPlace;
}

/** The preceding fact, and how the text joins the next one to it. */
interface ListContext {
  readonly previous: Fact | null;
  readonly joint: Joint;
}

/** The next reading; a null fact if no reader applies. */
async function readNext(
  scene: Scene,
  index: number,
  context: ListContext,
): Promise<Omit<FactReading, 'fact'> & { readonly fact: Fact | null }> {
  const listed = await readListed(scene, index, context);
  const reading = listed ?? (await firstReading(READERS, scene, index));
  if (reading !== null) return reading;
  const length = await capitalisedLength(scene, index);
  if (length > 0) return { length, fact: null };
  return (await firstReading(PLAIN_READERS, scene, index)) ?? { length: 1, fact: null };
}

/** A reading that continues a list. */
async function readListed(
  scene: Scene,
  index: number,
  { previous, joint }: ListContext,
): Promise<FactReading | null> {
  const isListed = joint === 'and' || joint === 'or';
  if (joint === 'or' && isNegative(previous)) return readExcluded(scene, index);
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

/** A place may depend on a following place, so repeat until no more places are found. */
function withAllPlaces(scene: Scene, parts: readonly TextPart[]): TextPart[] {
  const countries = (some: readonly TextPart[]): number =>
    some.filter(({ fact }) => fact?.kind === 'country').length;
  let read = withPlaces(scene, parts);
  for (let before = countries(parts); countries(read) > before; ) {
    before = countries(read);
    read = withPlaces(scene, read);
  }
  return read;
}

/**
 * Reads places without a preposition by their context: before music, the name of a city is an origin; elsewhere it may be
 * a band or a title.
 */
function withPlaces(scene: Scene, parts: readonly TextPart[]): TextPart[] {
  const hasMusic = parts.some(({ fact }) => fact?.kind === 'music');
  const read: TextPart[] = [];
  for (let index = 0; index < parts.length; ) {
    const part = parts[index];
    if (part === undefined) break;
    const place = part.fact === null ? placeAt(scene, part.start) : null;
    const covered = place === null ? 1 : countCovered(parts, index, place.end);
    if (place !== null && covered > 0 && isMeant(place, { parts, next: index + covered, hasMusic })) {
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
  /** Index after its last word. */
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

/** The number of parts that a name covers; 0 if it ends within a part. */
function countCovered(parts: readonly TextPart[], index: number, end: number): number {
  let count = 0;
  for (const part of parts.slice(index)) {
    if (part.start >= end) return count;
    if (part.fact !== null || part.start + part.length > end) return 0;
    count++;
  }
  return count;
}

function isMeant(
  { isAdjective }: PlaceName,
  {
    parts,
    next,
    hasMusic,
  }: { readonly parts: readonly TextPart[]; readonly next: number; readonly hasMusic: boolean },
): boolean {
  const kind = parts[next]?.fact?.kind;
  const isBeforeFacet = kind === 'music' || kind === 'format' || kind === 'years' || kind === 'country';
  return isBeforeFacet || (isAdjective && (hasMusic || parts.length === 1));
}

/**
 * A year without a preposition may be a title or a band: before "by", after an article, or in a text with only names.
 */
function withTitles(scene: Scene, parts: readonly TextPart[]): TextPart[] {
  const hasFact = parts.some(
    (part) => part.fact !== null && part.fact.kind !== 'literal' && !isBare(scene, part),
  );
  return parts.map((part, place) => {
    if (!isBare(scene, part)) return part;
    const isAmongNames = !hasFact && parts.some((other) => !isBare(scene, other));
    const isTitle = isAmongNames || isBeforeBy(scene, part, parts[place + 1]) || isBehindArticle(scene, part);
    return isTitle ? { ...part, fact: null } : part;
  });
}

const isBare = ({ reader }: Scene, { start, length, fact }: TextPart): boolean =>
  fact?.kind === 'years' && length === 1 && /^\d{4}$/.test(reader.at(start));

const isBeforeBy = ({ reader }: Scene, { start }: TextPart, next: TextPart | undefined): boolean =>
  next?.fact?.kind === 'literal' && next.start === start + 1 && reader.at(next.start) === 'by';

const isBehindArticle = ({ reader }: Scene, { start }: TextPart): boolean => reader.at(start - 1) === 'the';
