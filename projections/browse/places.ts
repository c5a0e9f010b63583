/**
 * How artists are listed: an address a list, and within it a place that sorts as the list does. So a page of any list is
 * one stretch of the index, whatever the filters.
 */

const SEPARATOR = '\u001f';
/** Longest genre and style that is asked for, in characters. */
export const MOST_FILTER_CHARACTERS = 80;

/** Tiers of emergence, the strongest first; whoever is in none is untracked. */
export const TIERS = ['breakout', 'rising', 'climbing', 'steady'] as const;
export type Tier = (typeof TIERS)[number];

/** Of untracked artists, whom both orders put by their reach, so that they are listed once. */
const UNTRACKED = String(TIERS.length);
/** By discovery the groups follow each other; by reach those who are tracked have groups of their own. */
const discoveryGroup = (tier: Tier): string => String(TIERS.indexOf(tier));
const reachGroup = (tier: Tier): string => String(TIERS.length + 1 + TIERS.indexOf(tier));

/** What places an artist within its lists. */
export interface Standing {
  /** Null for whoever is untracked. */
  readonly tier: Tier | null;
  readonly momentum: number;
  /** Null where it is not known, or not told. */
  readonly reach: number | null;
}

export interface ListFilters {
  readonly genre: string | null;
  readonly style: string | null;
}

/** Whether artists can be listed under a genre or style; one that is longer can be asked for by nobody. */
export const isListable = (name: string): boolean =>
  name !== '' && [...name].length <= MOST_FILTER_CHARACTERS && !/\p{Cc}/u.test(name) && name.isWellFormed();

const listOf = ({ genre, style }: ListFilters): string =>
  `${genre ?? ''}${SEPARATOR}${style ?? ''}${SEPARATOR}`;

/** Where an artist stands in a list: an address for each order that has one of its own. */
export function addressesIn(filters: ListFilters, { tier, momentum, reach }: Standing): string[] {
  const list = listOf(filters);
  const byReach = placeOf(reach ?? 0);
  if (tier === null) return [`${list}${UNTRACKED}${byReach}`];
  return [
    `${list}${discoveryGroup(tier)}${placeOf(momentum)}${byReach}`,
    `${list}${reachGroup(tier)}${byReach}`,
  ];
}

/** Stretches of addresses that make up a list, and from which character on an address tells the place in it. */
export interface Stretches {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly placeAt: number;
}

export function stretchesOf(
  filters: ListFilters,
  { tier, sort }: { readonly tier: Tier | null; readonly sort: 'discovery' | 'reach' },
): Stretches {
  const list = listOf(filters);
  const stretches = (
    groups: readonly string[],
    last: (group: string) => string,
    skipped: number,
  ): Stretches => ({
    from: groups.map((group) => `${list}${group}`),
    to: groups.map((group) => `${list}${after(last(group))}`),
    placeAt: [...list].length + 1 + skipped,
  });
  const itself = (group: string): string => group;
  if (sort === 'discovery')
    return tier === null
      ? stretches([discoveryGroup('breakout')], () => UNTRACKED, 0)
      : stretches([discoveryGroup(tier)], itself, 0);
  return stretches(tier === null ? [UNTRACKED, ...TIERS.map(reachGroup)] : [reachGroup(tier)], itself, 1);
}

/** The character behind a digit. */
const after = (digit: string): string => String.fromCharCode(digit.charCodeAt(0) + 1);

/**
 * A number as sixteen hex digits that sort the greatest first: the bits of a positive double sort like integers, those
 * of a negative one the other way round.
 */
function placeOf(value: number): string {
  const bits = Buffer.alloc(8);
  // Minus zero is zero.
  bits.writeDoubleBE(value + 0);
  const plain = bits.readBigUInt64BE();
  const descending = value < 0 ? plain : ~plain & 0x7fff_ffff_ffff_ffffn;
  return descending.toString(16).padStart(16, '0');
}
