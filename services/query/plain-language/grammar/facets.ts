import type { FactReading, ReadFact, Scene } from './reading.ts';

const MOST_MUSIC_WORDS = 6;
const MOST_FORMAT_WORDS = 3;
const MOST_PLACE_WORDS = 4;

/** Finds the longest run of words at an index that `find` recognises. */
function longest<T>(
  { reader }: Scene,
  index: number,
  { most, find }: { readonly most: number; readonly find: (text: string) => T | null },
): { readonly length: number; readonly found: T } | null {
  for (let length = reader.stretch(index, most); length > 0; length--) {
    const found = find(reader.slice(index, length));
    if (found !== null) return { length, found };
  }
  return null;
}

/** The name of a genre or style. */
export const readMusic: ReadFact = (scene, index) => {
  const { lexicon } = scene;
  const read = longest(scene, index, { most: MOST_MUSIC_WORDS, find: lexicon.music });
  return read && { length: read.length, fact: { kind: 'music', ...read.found } };
};

/** The name of a format, optionally after "on". */
export const readFormat: ReadFact = (scene, index) => {
  const { reader, lexicon } = scene;
  const start = reader.at(index) === 'on' ? index + 1 : index;
  const read = longest(scene, start, { most: MOST_FORMAT_WORDS, find: lexicon.formats });
  if (read === null) return null;
  return { length: start - index + read.length, fact: { kind: 'format', formats: read.found } };
};

/** "From Detroit", "out of the UK", "in Spain". */
export const readOrigin: ReadFact = (scene, index) => {
  const { reader } = scene;
  const made = ['made', 'recorded', 'produced'].includes(reader.at(index)) ? 1 : 0;
  const start = index + made;
  const words = reader.says(start, 'out', 'of') ? 2 : ['from', 'in'].includes(reader.at(start)) ? 1 : 0;
  return words === 0 ? null : within(readPlace(scene, start + words), made + words);
};

/** A place by its name alone. */
export function readPlace(scene: Scene, index: number): FactReading | null {
  const { reader, lexicon } = scene;
  const start = reader.at(index) === 'the' ? index + 1 : index;
  const read = longest(scene, start, {
    most: MOST_PLACE_WORDS,
    find: (text) => (isPronoun(text) ? null : lexicon.place(text)),
  });
  if (read === null) return null;
  const fact = { kind: 'country', country: read.found.country } as const;
  return { length: start - index + read.length, fact };
}

/** The "us" in "give us techno" is not the US. */
const isPronoun = (text: string): boolean => text === 'us';

/** "At least 20 DJs", "more than 20 DJs", "20+ DJs", optionally after "played by". */
export const readDjs: ReadFact = ({ reader }, index) => {
  let next = index;
  if (['played', 'spun', 'supported'].includes(reader.at(next))) next++;
  if (['by', 'with'].includes(reader.at(next))) next++;
  const isMore = reader.says(next, 'more', 'than') || reader.at(next) === 'over';
  if (reader.says(next, 'at', 'least') || reader.says(next, 'more', 'than')) next += 2;
  else if (['over', 'minimum', 'min'].includes(reader.at(next))) next++;
  if (!/^\d{1,6}$/.test(reader.at(next)) || !['dj', 'djs'].includes(reader.at(next + 1))) return null;
  const least = Number(reader.at(next)) + (isMore ? 1 : 0);
  return { length: next + 2 - index, fact: { kind: 'djs', least } };
};

/** A reading with preceding words. */
const within = (reading: FactReading | null, words: number): FactReading | null =>
  reading && { ...reading, length: reading.length + words };
