/**
 * How artists are listed: each has a lookup key per list, which sorts like the list. So a page of any list is one range of
 * the index, whatever the filters.
 */

const SEPARATOR = '\u001f';
/** Longest genre and style of a filter, in characters. */
export const MAX_FILTER_CHARACTERS = 80;

/** Tiers of emergence, the strongest first; artists without one are untracked. */
export const TIERS = ['breakout', 'rising', 'climbing', 'steady'] as const;
export type Tier = (typeof TIERS)[number];

/** Group of untracked artists. Both orders sort them by reach, so they have one key. */
const UNTRACKED = String(TIERS.length);
/** The order by discovery concatenates the groups; the order by reach has its own groups of tracked artists. */
const discoveryGroup = (tier: Tier): string => String(TIERS.indexOf(tier));
const reachGroup = (tier: Tier): string => String(TIERS.length + 1 + TIERS.indexOf(tier));

/** What determines an artist's position in its lists. */
export interface ListPosition {
  /** Null for untracked artists. */
  readonly tier: Tier | null;
  readonly momentum: number;
  /** Null if unknown or withheld. */
  readonly reach: number | null;
}

export interface ListFilters {
  readonly genre: string | null;
  readonly style: string | null;
}

/** Whether a genre or style can be a filter. */
export const isListable = (name: string): boolean =>
  name !== '' && [...name].length <= MAX_FILTER_CHARACTERS && !/\p{Cc}/u.test(name) && name.isWellFormed();

const listOf = ({ genre, style }: ListFilters): string =>
  `${genre ?? ''}${SEPARATOR}${style ?? ''}${SEPARATOR}`;

/** The lookup keys of an artist in a list, one for each order that needs its own. */
export function listKeys(filters: ListFilters, { tier, momentum, reach }: ListPosition): string[] {
  const list = listOf(filters);
  const byReach = sortKey(reach ?? 0);
  if (tier === null) return [`${list}${UNTRACKED}${byReach}`];
  return [
    `${list}${discoveryGroup(tier)}${sortKey(momentum)}${byReach}`,
    `${list}${reachGroup(tier)}${byReach}`,
  ];
}

/** Ranges of lookup keys that make up a list; the sort key starts at character `sortKeyAt` (from 1). */
export interface KeyRanges {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly sortKeyAt: number;
}

export function keyRanges(
  filters: ListFilters,
  { tier, sort }: { readonly tier: Tier | null; readonly sort: 'discovery' | 'reach' },
): KeyRanges {
  const list = listOf(filters);
  const ranges = (groups: readonly [first: string, last: string][], skipped: number): KeyRanges => ({
    from: groups.map(([first]) => `${list}${first}`),
    to: groups.map(([, last]) => `${list}${nextDigit(last)}`),
    sortKeyAt: [...list].length + 1 + skipped,
  });
  const only = (group: string): [string, string] => [group, group];
  if (sort === 'discovery')
    return ranges([tier === null ? [discoveryGroup('breakout'), UNTRACKED] : only(discoveryGroup(tier))], 0);
  return ranges((tier === null ? [UNTRACKED, ...TIERS.map(reachGroup)] : [reachGroup(tier)]).map(only), 1);
}

const nextDigit = (digit: string): string => String.fromCharCode(digit.charCodeAt(0) + 1);

/**
 * A number as 16 hex digits in descending order: the bits of positive doubles sort like integers, those of negative ones
 * in reverse.
 */
function sortKey(value: number): string {
  const bits = Buffer.alloc(8);
  // Adding 0 turns minus zero into zero.
  bits.writeDoubleBE(value + 0);
  const plain = bits.readBigUInt64BE();
  const descending = value < 0 ? plain : ~plain & 0x7fff_ffff_ffff_ffffn;
  return descending.toString(16).padStart(16, '0');
}
