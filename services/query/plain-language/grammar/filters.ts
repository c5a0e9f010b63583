import type { SearchFilters } from '../interpretation.ts';
import { facetOf, type Music } from './lexicon.ts';
import type { Fact, Joint, TextPart } from './reading.ts';
import { FIRST_YEAR, LAST_YEAR } from './years.ts';

type Facet = 'genre' | 'style' | 'format' | 'country' | 'label';

/** A facet value and how it joins the previous one. */
interface Value {
  readonly facet: Facet;
  readonly values: readonly string[];
  readonly joint: Joint;
}

/** The filters of the facts of a text. */
export interface FilterDraft {
  readonly filters: SearchFilters;
  /** Parts that no filter expresses or that contradict a filter. */
  readonly unexpressed: ReadonlySet<TextPart>;
}

export function draftFilters(parts: readonly TextPart[]): FilterDraft {
  const filters: SearchFilters = {};
  const unexpressed = new Set<TextPart>();
  for (const [part, fact] of factsOf(parts)) if (!applyFact(filters, fact)) unexpressed.add(part);
  const values = valuesOf(parts);
  for (const facet of ['genre', 'style', 'format', 'country', 'label'] as const)
    Object.assign(
      filters,
      facetFilter(
        facet,
        values.filter((value) => value.facet === facet),
      ),
    );
  return { filters, unexpressed: unexpressed };
}

const factsOf = (parts: readonly TextPart[]): [TextPart, Fact][] =>
  parts.flatMap((part): [TextPart, Fact][] => (part.fact === null ? [] : [[part, part.fact]]));

/** Applies a fact that is not a facet. @returns whether a filter expresses it */
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
 * Two adjacent or overlapping ranges of years are united; a range and a limit, or two limits, are intersected.
 *
 * @returns false if the ranges have a gap or the intersection is empty; the second is ignored then
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

/** Chooses between two years, or returns the only one. */
function either(
  choose: ((a: number, b: number) => number) | undefined,
  known: number | undefined,
  given: number | null,
): number | undefined {
  if (given === null) return known;
  return known === undefined || choose === undefined ? given : choose(known, given);
}

function valuesOf(parts: readonly TextPart[]): Value[] {
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

const isEitherOr = (parts: readonly TextPart[], index: number): boolean =>
  choiceAround(parts, index).length > 1;

/** Alternatives must be values of one facet: style if all have a style, else genre. */
function sharedFacet(parts: readonly TextPart[], index: number): 'genre' | 'style' {
  const choice = choiceAround(parts, index);
  const own = parts[index]?.fact;
  const usual = own?.kind === 'music' ? facetOf(own) : 'style';
  if (choice.every((music) => facetOf(music) === usual)) return usual;
  if (choice.every(({ style }) => style !== null)) return 'style';
  return choice.every(({ genre }) => genre !== null) ? 'genre' : usual;
}

/** The music that "or" joins to the part at an index, including it. */
function choiceAround(parts: readonly TextPart[], index: number): Music[] {
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
  const values = [...new Set(statedValues(given).flatMap((one) => one.values))];
  if (values.length === 0) return {};
  if (values.length === 1) return { [facet]: values };
  return { [facet]: values, [`${facet}_mode`]: modeOf(facet, given) };
}

/** "Album" means several formats and is redundant next to an exact format. */
function statedValues(given: readonly Value[]): readonly Value[] {
  const exact = given.filter(({ values }) => values.length === 1);
  return exact.length === 0 ? given.slice(0, 1) : exact;
}

/** A release has one country and seldom two labels, so "and" means "or" for them. */
function modeOf(facet: Facet, given: readonly Value[]): 'and' | 'or' {
  if (facet === 'country' || facet === 'label') return 'or';
  if (given.every(({ values }) => values.length > 1)) return 'or';
  const joints = new Set(given.slice(1).map(({ joint }) => joint));
  if (joints.has('or')) return 'or';
  return joints.has('pause') && !joints.has('and') && !joints.has('none') ? 'or' : 'and';
}
