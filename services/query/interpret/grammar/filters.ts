import type { SearchFilters } from '../interpretation.ts';
import { facetOf, type Music } from './lexicon.ts';
import type { Joint, Part } from './parse.ts';
import type { Fact } from './reading.ts';
import { FIRST_YEAR, LAST_YEAR } from './years.ts';

type Facet = 'genre' | 'style' | 'format' | 'country' | 'label';

/** The value of a facet, and what joins it to the one before. */
interface Value {
  readonly facet: Facet;
  readonly values: readonly string[];
  readonly joint: Joint;
}

/** What the facts of a text amount to. */
export interface Drafted {
  readonly filters: SearchFilters;
  /** Those that no filter says, or that contradict one. */
  readonly unsaid: ReadonlySet<Part>;
}

export function draftFilters(parts: readonly Part[]): Drafted {
  const filters: SearchFilters = {};
  const unsaid = new Set<Part>();
  for (const [part, fact] of factsOf(parts)) if (!applyFact(filters, fact)) unsaid.add(part);
  const values = valuesOf(parts);
  for (const facet of ['genre', 'style', 'format', 'country', 'label'] as const)
    Object.assign(
      filters,
      facetFilter(
        facet,
        values.filter((value) => value.facet === facet),
      ),
    );
  return { filters, unsaid };
}

const factsOf = (parts: readonly Part[]): [Part, Fact][] =>
  parts.flatMap((part): [Part, Fact][] => (part.fact === null ? [] : [[part, part.fact]]));

/** Applies what is not a facet. @returns whether it could be said */
function applyFact(filters: SearchFilters, fact: Fact): boolean {
  switch (fact.kind) {
    case 'years':
      return applyYears(filters, fact.from, fact.to);
    case 'djs':
      filters.dj_count_min = fact.least;
      return true;
    case 'without-artist':
      if (filters.exclude_artist !== undefined) return false;
      filters.exclude_artist = fact.name;
      return true;
    case 'without-label':
      if (filters.exclude_label !== undefined) return false;
      filters.exclude_label = fact.label;
      return true;
    case 'country':
      return fact.country !== null;
    default:
      return fact.kind !== 'inexpressible';
  }
}

/**
 * Two stretches of years that meet mean both; of a stretch and a limit, or two limits, what lies within both.
 *
 * @returns false where years lie between two stretches, or none within both, and the second is let go
 */
function applyYears(filters: SearchFilters, from: number | null, to: number | null): boolean {
  const { year_from: knownFrom, year_to: knownTo } = filters;
  const isSecond = knownFrom !== undefined && knownTo !== undefined && from !== null && to !== null;
  if (isSecond && (from > knownTo + 1 || to < knownFrom - 1)) return false;
  const widest = isSecond ? [Math.min, Math.max] : [Math.max, Math.min];
  const [first, last] = [either(widest[0], knownFrom, from), either(widest[1], knownTo, to)];
  if ((first ?? FIRST_YEAR) > (last ?? LAST_YEAR)) return false;
  if (first !== undefined) filters.year_from = first;
  if (last !== undefined) filters.year_to = last;
  return true;
}

/** One of two years where there are two, else the one that there is. */
function either(
  choose: ((a: number, b: number) => number) | undefined,
  known: number | undefined,
  given: number | null,
): number | undefined {
  if (given === null) return known;
  return known === undefined || choose === undefined ? given : choose(known, given);
}

function valuesOf(parts: readonly Part[]): Value[] {
  const values: Value[] = [];
  for (const [index, { fact, joint }] of parts.entries()) {
    if (fact?.kind === 'music') {
      const facet = isEitherOr(parts, index) ? sharedFacet(parts, index) : facetOf(fact);
      values.push({ facet, values: [fact[facet] ?? ''], joint });
    } else if (fact?.kind === 'format') values.push({ facet: 'format', values: fact.formats, joint });
    else if (fact?.kind === 'label') values.push({ facet: 'label', values: [fact.label], joint });
    else if (fact?.kind === 'country' && fact.country !== null)
      values.push({ facet: 'country', values: [fact.country], joint });
  }
  return values;
}

const isEitherOr = (parts: readonly Part[], index: number): boolean => choiceAround(parts, index).length > 1;

/** Either this or that can be asked for only of one facet: of the styles, where all of them are one. */
function sharedFacet(parts: readonly Part[], index: number): 'genre' | 'style' {
  const choice = choiceAround(parts, index);
  const own = parts[index]?.fact;
  const usual = own?.kind === 'music' ? facetOf(own) : 'style';
  if (choice.every((music) => facetOf(music) === usual)) return usual;
  if (choice.every(({ style }) => style !== null)) return 'style';
  return choice.every(({ genre }) => genre !== null) ? 'genre' : usual;
}

/** The music that "or" joins to that at a place, itself included. */
function choiceAround(parts: readonly Part[], index: number): Music[] {
  const runs: { musics: Music[]; hasOr: boolean; isIn: boolean }[] = [];
  for (const [place, { fact, joint }] of parts.entries()) {
    const run = runs.at(-1);
    if (fact?.kind !== 'music') {
      runs.push({ musics: [], hasOr: false, isIn: false });
      continue;
    }
    const goesOn = run !== undefined && run.musics.length > 0 && (joint === 'or' || joint === 'pause');
    const target = goesOn ? run : { musics: [], hasOr: false, isIn: false };
    if (!goesOn) runs.push(target);
    target.musics.push(fact);
    target.hasOr ||= joint === 'or' && goesOn;
    target.isIn ||= place === index;
  }
  const own = runs.find(({ isIn }) => isIn);
  return own?.hasOr ? own.musics : [];
}

function facetFilter(facet: Facet, given: readonly Value[]): SearchFilters {
  const values = [...new Set(saidOf(given).flatMap((one) => one.values))];
  if (values.length === 0) return {};
  if (values.length === 1) return { [facet]: values };
  return { [facet]: values, [`${facet}_mode`]: modeOf(facet, given) };
}

/** An album is one of several formats, which goes without saying where another is named. */
function saidOf(given: readonly Value[]): readonly Value[] {
  const exact = given.filter(({ values }) => values.length === 1);
  return exact.length === 0 ? given.slice(0, 1) : exact;
}

/** One release has one country, and few have two labels: there "and" means either. */
function modeOf(facet: Facet, given: readonly Value[]): 'and' | 'or' {
  if (facet === 'country' || facet === 'label') return 'or';
  if (given.every(({ values }) => values.length > 1)) return 'or';
  const joints = new Set(given.slice(1).map(({ joint }) => joint));
  if (joints.has('or')) return 'or';
  return joints.has('pause') && !joints.has('and') && !joints.has('none') ? 'or' : 'and';
}
