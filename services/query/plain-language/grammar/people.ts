import { readMusic } from './facets.ts';
import type { Fact, FactReading, ReadFact, Scene } from './reading.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** People who make music; they add no filter. */
const MAKERS = words(
  'artists bands musicians singers producers groups acts performers songwriters composers anyone anybody someone somebody everyone everybody',
);
/** People who hear or handle music; no filter expresses what they do. */
const CROWDS = words(
  'djs collectors critics fans listeners owners reviewers journalists buyers people women men girls boys',
);
const DETERMINERS = words('the some many most all other several few more');
const QUALITIES = words(
  'young old new female male local independent unknown famous obscure good great serious',
);
const PARTICIPLE =
  /^(?:\p{L}+ed|known|sold|bought|chosen|spun|sung|written|heard|kept|sought|made|given|seen)$/u;

/**
 * "By artists", "by German producers", "owned by collectors": people without a name. Their country or music is the filter.
 */
export const readPeople: ReadFact = async (scene, index) => {
  const { reader, lexicon } = scene;
  const isParticiple = reader.at(index + 1) === 'by' && PARTICIPLE.test(reader.at(index));
  const by = isParticiple && lexicon.formats(reader.slice(index, 1)) === null ? index + 1 : index;
  if (reader.at(by) !== 'by') return null;
  let next = by + 1;
  while (DETERMINERS.has(reader.at(next))) next++;
  const quality = await readQuality(scene, next);
  const people = next + (quality?.length ?? 0);
  if (!isMeant(scene, by, people)) return null;
  const fact: Fact = CROWDS.has(reader.at(people))
    ? { kind: 'inexpressible' }
    : (quality?.fact ?? { kind: 'idle' });
  return { length: people + 1 - index, fact };
};

/** The quality of people: an adjective, a country or music. */
async function readQuality(scene: Scene, index: number): Promise<FactReading | null> {
  const { reader, lexicon } = scene;
  if (QUALITIES.has(reader.at(index))) return { length: 1, fact: { kind: 'inexpressible' } };
  for (let length = reader.stretch(index, 2); length > 0; length--) {
    const place = lexicon.place(reader.slice(index, length));
    if (place !== null) return { length, fact: { kind: 'country', country: place.country } };
  }
  return readMusic(scene, index);
}

/** A capitalised word for people after a lower-case "by" is a name. */
function isMeant({ reader }: Scene, by: number, people: number): boolean {
  const fold = reader.at(people);
  if (!MAKERS.has(fold) && !CROWDS.has(fold)) return false;
  const isUpper = (index: number): boolean => /^\p{Lu}/u.test(reader.words[index]?.text ?? '');
  return fold === 'djs' || !isUpper(people) || isUpper(by);
}
