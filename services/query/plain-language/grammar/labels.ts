import type { FactReading, ReadFact, Scene } from './reading.ts';

const MOST_LABEL_WORDS = 5;
const ENDING = /\s+(?:records?|recordings|label|releases)$/i;
/** Words that a label name cannot contain. */
const STOPS = new Set([
  'from',
  'since',
  'before',
  'between',
  'but',
  'except',
  'without',
  'or',
  'played',
  'in',
  'by',
]);
const GIVERS = new Set(['released', 'issued', 'published', 'out']);

/** A label by its name, optionally followed by "Records" or the like. */
export async function readLabelName(
  { reader, label: find }: Scene,
  index: number,
): Promise<FactReading | null> {
  const start = reader.at(index) === 'the' ? index + 1 : index;
  const most = reader.stretch(start, MOST_LABEL_WORDS);
  const stop = Array.from({ length: most }, (_, offset) => reader.at(start + offset)).findIndex((word) =>
    STOPS.has(word),
  );
  const lengths = Array.from({ length: stop < 0 ? most : stop }, (_, offset) => offset + 1).reverse();
  const found = await Promise.all(
    lengths.map(async (length) => ({
      length,
      label: await spelt(reader.slice(start, length), find),
    })),
  );
  for (const { length, label } of found) {
    if (label !== null) return { length: start - index + length, fact: { kind: 'label', label } };
  }
  return null;
}

/** The label in the spelling of the index. The text may have an extra "Records", or lack it. */
async function spelt(name: string, find: (name: string) => Promise<string | null>): Promise<string | null> {
  const bare = name.replace(ENDING, '');
  const forms = [name, ...(bare === name ? [] : [bare]), `${bare} Records`, `${bare} Recordings`];
  const found = await Promise.all(forms.map(find));
  return found.find((label) => label !== null) ?? null;
}

/** "On Warp", "from Warp Records", "released by Warp", "the label Warp", "Warp Records". */
export const readLabel: ReadFact = async (scene, index) => {
  const words = wordsBefore(scene, index);
  if (words > 0) {
    const read = await readLabelName(scene, index + words);
    return read && { ...read, length: read.length + words };
  }
  return isNamed(scene, index) ? readLabelName(scene, index) : null;
};

/** The number of words that announce a label. */
function wordsBefore({ reader }: Scene, index: number): number {
  if (['on', 'from', 'label'].includes(reader.at(index))) return 1;
  const giver = reader.says(index, 'put', 'out') ? 2 : GIVERS.has(reader.at(index)) ? 1 : 0;
  return giver > 0 && ['by', 'on', 'from', 'via'].includes(reader.at(index + giver)) ? giver + 1 : 0;
}

/** Whether a capitalised name before "Records" or the like follows. */
function isNamed({ reader }: Scene, index: number): boolean {
  const name = reader.words[index]?.text ?? '';
  if (!/^[\p{Lu}\p{N}]/u.test(name)) return false;
  return [1, 2, 3].some((offset) => /^(?:records|recordings|label)$/.test(reader.at(index + offset)));
}

/** More label names than any sensible text has. */
const MOST_LOOKUPS = 80;

/** Looks up each name once, and at most `MOST_LOOKUPS` names of a text. */
export function boundedLookup(
  find: (name: string) => Promise<string | null>,
): (name: string) => Promise<string | null> {
  const known = new Map<string, Promise<string | null>>();
  return (name) => {
    const key = name.toLowerCase();
    let found = known.get(key);
    if (found === undefined) {
      found = known.size < MOST_LOOKUPS ? find(name) : Promise.resolve(null);
      known.set(key, found);
    }
    return found;
  };
}
