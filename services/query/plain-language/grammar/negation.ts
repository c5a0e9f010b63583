import { readFormat, readMusic, readOrigin, readPlace } from './facets.ts';
import { readLabel, readLabelName } from './labels.ts';
import { nameAt, nameLength } from './names.ts';
import { type Fact, type FactReading, firstReading, type ReadFact, type Scene } from './reading.ts';
import { readYears } from './years.ts';

/** Phrases that exclude something. */
const NEGATIONS: readonly (readonly string[])[] = [
  ['except', 'for'],
  ['apart', 'from'],
  ['other', 'than'],
  ['leaving', 'out'],
  ['but', 'nothing'],
  ['but', 'not'],
  ['but', 'no'],
  ['no'],
  ['not'],
  ['without'],
  ['except'],
  ['excluding'],
  ['minus'],
  ['nothing'],
];
const ANYTHING = new Set(['any', 'anything', 'stuff', 'things', 'music', 'everything']);
const OF_AN_ARTIST = new Set(['songs', 'tracks', 'records', 'releases', 'remixes', 'tunes', 'material']);

/** "No house", "not by Jeff Mills", "nothing on Warp", "except Autechre". */
export const readNegation: ReadFact = async (scene, index) => {
  const { reader } = scene;
  const negation = NEGATIONS.find((words) => reader.says(index, ...words));
  if (negation === undefined) return null;
  const start = index + negation.length;
  // "Nothing compares" begins a title, "nothing by" does not.
  if (negation.at(-1) === 'nothing' && !['by', 'on', 'from'].includes(reader.at(start))) return null;
  const read = await readExcluded(scene, start);
  return read && { ...read, length: read.length + negation.length };
};

/** What is excluded, after a negation or after "or". */
export async function readExcluded(scene: Scene, index: number): Promise<FactReading | null> {
  const { reader } = scene;
  let start = index;
  while (ANYTHING.has(reader.at(start)) || OF_AN_ARTIST.has(reader.at(start))) start++;
  const what = await firstReading([readFormat, readMusic], scene, start);
  const by = start + (what?.length ?? 0);
  const read =
    reader.at(by) === 'by'
      ? extended(await readArtist(scene, by + 1), by + 1 - start)
      : await readOther(scene, start, what);
  return extended(read, start - index);
}

/** An exclusion without "by": a label, something no filter can exclude, or else an artist. */
async function readOther(scene: Scene, index: number, what: FactReading | null): Promise<FactReading | null> {
  const { reader } = scene;
  const article = reader.says(index, 'the', 'label') ? 1 : 0;
  const label = await readLabel(scene, index + article);
  if (label !== null) return extended(withFact(label, asExcluded), article);
  const clause = what ?? (await firstReading([readYears, readOrigin, readPlace], scene, index));
  if (clause !== null) return withFact(clause, inexpressible);
  if (['on', 'from', 'label'].includes(reader.at(index + article))) {
    const unknown = await readArtist(scene, index + article + 1);
    return unknown && extended(withFact(unknown, inexpressible), article + 1);
  }
  const named = await readLabelName(scene, index);
  return named === null ? readArtist(scene, index) : withFact(named, asExcluded);
}

async function readArtist(scene: Scene, index: number): Promise<FactReading | null> {
  const length = await nameLength(scene, index);
  const name = nameAt(scene, index, length);
  return name === '' ? null : { length, fact: { kind: 'without-artist', name } };
}

const inexpressible = (): Fact => ({ kind: 'inexpressible' });

const asExcluded = (fact: Fact): Fact =>
  fact.kind === 'label' ? { kind: 'without-label', label: fact.label } : { kind: 'inexpressible' };

const withFact = ({ length, fact }: FactReading, change: (fact: Fact) => Fact): FactReading => ({
  length,
  fact: change(fact),
});

const extended = (reading: FactReading | null, words: number): FactReading | null =>
  reading && { ...reading, length: reading.length + words };
