import { readFormat, readMusic, readOrigin, readPlace } from './facets.ts';
import { readLabel, readLabelName } from './labels.ts';
import { nameAt, nameLength } from './names.ts';
import { type Fact, firstReading, type ReadFact, type Reading, type Scene } from './reading.ts';
import { readYears } from './years.ts';

/** Words that leave something out, as many as belong together. */
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
  const read = await readLeftOut(scene, start);
  return read && { ...read, length: read.length + negation.length };
};

/** What is left out, behind the word that says so or behind "or". */
export async function readLeftOut(scene: Scene, index: number): Promise<Reading | null> {
  const { reader } = scene;
  let start = index;
  while (ANYTHING.has(reader.at(start)) || OF_AN_ARTIST.has(reader.at(start))) start++;
  const what = await firstReading([readFormat, readMusic], scene, start);
  const by = start + (what?.length ?? 0);
  const read =
    reader.at(by) === 'by'
      ? grown(await readArtist(scene, by + 1), by + 1 - start)
      : await readOther(scene, start, what);
  return grown(read, start - index);
}

/** What is left out by no artist's name: a label, or what no filter can leave out, or else an artist after all. */
async function readOther(scene: Scene, index: number, what: Reading | null): Promise<Reading | null> {
  const { reader } = scene;
  const article = reader.says(index, 'the', 'label') ? 1 : 0;
  const label = await readLabel(scene, index + article);
  if (label !== null) return grown(withFact(label, leftOut), article);
  const clause = what ?? (await firstReading([readYears, readOrigin, readPlace], scene, index));
  if (clause !== null) return withFact(clause, inexpressible);
  if (['on', 'from', 'label'].includes(reader.at(index + article))) {
    const unknown = await readArtist(scene, index + article + 1);
    return unknown && grown(withFact(unknown, inexpressible), article + 1);
  }
  const named = await readLabelName(scene, index);
  return named === null ? readArtist(scene, index) : withFact(named, leftOut);
}

async function readArtist(scene: Scene, index: number): Promise<Reading | null> {
  const length = await nameLength(scene, index);
  const name = nameAt(scene, index, length);
  return name === '' ? null : { length, fact: { kind: 'without-artist', name } };
}

const inexpressible = (): Fact => ({ kind: 'inexpressible' });

const leftOut = (fact: Fact): Fact =>
  fact.kind === 'label' ? { kind: 'without-label', label: fact.label } : { kind: 'inexpressible' };

const withFact = ({ length, fact }: Reading, change: (fact: Fact) => Fact): Reading => ({
  length,
  fact: change(fact),
});

const grown = (reading: Reading | null, words: number): Reading | null =>
  reading && { ...reading, length: reading.length + words };
