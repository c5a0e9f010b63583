import { readFormat, readOrigin } from './facets.ts';
import { CLAUSE_STARTS, NAME_ENDS } from './fillers.ts';
import { readLabel, readLabelName } from './labels.ts';
import { type FactReading, firstReading, type ReadFact, type Scene } from './reading.ts';
import { readYears } from './years.ts';

const MOST_NAME_WORDS = 12;

/** "By Jeff Mills" is a literal, "by Warp Records" a label. */
export const readBy: ReadFact = async (scene, index) => {
  if (scene.reader.at(index) !== 'by') return null;
  const length = await nameLength(scene, index + 1);
  if (length === 0) return null;
  const name = nameAt(scene, index + 1, length);
  if (/\s(?:records|recordings)$/i.test(name)) {
    const label = await readLabelName(scene, index + 1);
    if (label !== null) return { ...label, length: label.length + 1 };
  }
  return { length: length + 1, fact: { kind: 'literal', text: name } };
};

/** "Something like X": the search can only look for X. */
const LIKE: readonly (readonly string[])[] = [
  ...['something', 'anything', 'stuff', 'music', 'bands', 'artists', 'sounds', 'sounding'].map((word) => [
    word,
    'like',
  ]),
  ['similar', 'to'],
  ['in', 'the', 'style', 'of'],
];

export const readLike: ReadFact = async (scene, index) => {
  const words = LIKE.find((like) => scene.reader.says(index, ...like))?.length;
  if (words === undefined) return null;
  const length = await nameLength(scene, index + words);
  if (length === 0) return null;
  return { length: length + words, fact: { kind: 'literal', text: nameAt(scene, index + words, length) } };
};

/** A quotation is searched literally. */
export const readQuoted: ReadFact = ({ reader }, index) => {
  const word = reader.words[index];
  return word?.kind === 'quoted' ? { length: 1, fact: { kind: 'literal', text: word.text } } : null;
};

/** The length of a name at an index: up to a pause or the next clause. */
export async function nameLength(scene: Scene, index: number): Promise<number> {
  const { reader } = scene;
  if (reader.words[index]?.kind === 'quoted') return 1;
  const most = reader.stretch(index, MOST_NAME_WORDS);
  for (let length = 1; length < most; length++) if (await isEnd(scene, index + length)) return length;
  return most;
}

export function nameAt({ reader }: Scene, index: number, length: number): string {
  const word = reader.words[index];
  return word?.kind === 'quoted' ? word.text : reader.slice(index, length);
}

async function isEnd(scene: Scene, index: number): Promise<boolean> {
  const word = scene.reader.at(index);
  if (NAME_ENDS.has(word)) return true;
  const readers = CLAUSE_STARTS.has(word) ? [readYears, readOrigin, readFormat, readLabel] : [readDecade];
  return (await firstReading(readers, scene, index)) !== null;
}

/** A decade ends a name; a year may be part of it. */
const readDecade = (scene: Scene, index: number): FactReading | null =>
  /^(?:early|mid|late|.*(?:ties|0s))$/.test(scene.reader.at(index)) ? readYears(scene, index) : null;
