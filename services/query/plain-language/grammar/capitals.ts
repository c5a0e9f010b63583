import { readFormat, readMusic } from './facets.ts';
import { FILLERS } from './fillers.ts';
import type { Scene } from './reading.ts';
import { readYears } from './years.ts';

/** Short names of music and formats are always in capitals, so all-capital words do not count. */
const CAPITALISED = /^\p{Lu}(?!\p{Lu}+s$).*\p{Ll}/u;
const LABEL_ENDINGS = new Set(['records', 'recordings', 'label']);
const MOST_PLACE_WORDS = 3;
const LEAST_WORDS = 2;

/**
 * The length of a capitalised name at an index: some of its words alone would be a facet and others not, as in "Black
 * Country". 0 if there is no such name.
 */
export async function capitalisedLength(scene: Scene, index: number): Promise<number> {
  const end = runEnd(scene, index);
  if (end - index < LEAST_WORDS || LABEL_ENDINGS.has(scene.reader.at(end))) return 0;
  let hasFacet = false;
  let hasWord = false;
  for (let next = index; next < end; ) {
    const reading =
      (await readMusic(scene, next)) ?? readYears(scene, next) ?? (await readFormat(scene, next));
    // A facet that continues in lower case is not part of the name.
    if (reading !== null && next + reading.length > end)
      return hasFacet && hasWord && next - index >= LEAST_WORDS ? next - index : 0;
    if (reading !== null) hasFacet = true;
    else if (joinLength(scene, next) === 0) hasWord = true;
    next += reading?.length ?? 1;
  }
  return hasFacet && hasWord ? end - index : 0;
}

/** The end of the run of capitalised words at an index. */
function runEnd(scene: Scene, index: number): number {
  let end = index;
  for (let next = index; isCapitalised(scene, next); ) {
    end = next + 1;
    next = end + joinLength(scene, end);
  }
  return end;
}

/** Ignores places, which are always capitalised, and fillers, which start sentences. */
function isCapitalised({ reader, lexicon }: Scene, index: number): boolean {
  const word = reader.words[index];
  if (word?.kind !== 'word' || !CAPITALISED.test(word.text)) return false;
  if (FILLERS.has(word.fold) && lexicon.music(word.text) === null) return false;
  for (let length = reader.stretch(index, MOST_PLACE_WORDS); length > 0; length--)
    if (lexicon.place(reader.slice(index, length)) !== null) return false;
  return true;
}

/** The number of joining words at an index, as in "House of Pain" or "Rage & the Machine". */
function joinLength({ reader }: Scene, index: number): number {
  const isJoin = reader.at(index) === 'of' || reader.words[index]?.text === '&';
  if (!isJoin) return 0;
  return reader.at(index + 1) === 'the' ? 2 : 1;
}
