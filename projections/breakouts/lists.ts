import { type BreakoutItem, CORROBORATIONS, TIERS } from './item.ts';

/** Name of the index. */
export const BREAKOUTS = 'breakouts';

/** What a reader may ask for; what is left out may be anything. */
interface BreakoutFilter {
  readonly tier?: BreakoutItem['emergenceTier'] | undefined;
  readonly corroboration?: BreakoutItem['corroboration'] | undefined;
}

const listOf = (tier: string, corroboration: string): string => `${tier} ${corroboration}`;

/** The list that an item stands in: one for each tier and corroboration, so that a filter reads no other item. */
export const listOfBreakout = ({
  emergenceTier,
  corroboration,
}: Pick<BreakoutItem, 'emergenceTier' | 'corroboration'>): string => listOf(emergenceTier, corroboration);

/** The lists whose items pass a filter. */
export const listsOfFilter = ({ tier, corroboration }: BreakoutFilter): string[] =>
  (tier === undefined ? TIERS : [tier]).flatMap((one) =>
    (corroboration === undefined ? CORROBORATIONS : [corroboration]).map((other) => listOf(one, other)),
  );
