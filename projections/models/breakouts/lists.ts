import { type BreakoutItem, CORROBORATIONS, TIERS } from './item.ts';

/** Name of the index. */
export const BREAKOUTS = 'breakouts';

/** A missing member matches everything. */
interface BreakoutFilter {
  readonly tier?: BreakoutItem['emergenceTier'] | undefined;
  readonly corroboration?: BreakoutItem['corroboration'] | undefined;
}

const listOf = (tier: string, corroboration: string): string => `${tier} ${corroboration}`;

/** The list of an item: one per tier and corroboration, so a filter reads only matching items. */
export const listOfBreakout = ({
  emergenceTier,
  corroboration,
}: Pick<BreakoutItem, 'emergenceTier' | 'corroboration'>): string => listOf(emergenceTier, corroboration);

/** The lists whose items match a filter. */
export const listsOfFilter = ({ tier, corroboration }: BreakoutFilter): string[] =>
  (tier === undefined ? TIERS : [tier]).flatMap((one) =>
    (corroboration === undefined ? CORROBORATIONS : [corroboration]).map((other) => listOf(one, other)),
  );
