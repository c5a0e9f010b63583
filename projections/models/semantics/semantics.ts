import { type Static, Type } from '@sinclair/typebox';
import type { Source } from '../../contracts/contract.ts';
import { orNull } from '../../engine/values.ts';

/**
 * What the dates of a surface refer to: when something happened; when the producer first or last saw it; the day of the
 * whole row; a window that ends today, so it moves with time alone; a decision in force.
 */
const CLOCK_CLASSES = ['event', 'sighting', 'snapshot', 'window', 'register'] as const;
type ClockClass = (typeof CLOCK_CLASSES)[number];

const text = (description: string) => Type.String({ description });

/** Fields of a dictionary entry, in the served order. */
export const semanticsProperties = {
  audience_blurb: text('What it contains, for readers.'),
  scale_bands: Type.Array(Type.String(), { description: 'Meaning of the steps of its scales.' }),
  honest_limits: orNull(text('What it does not show.')),
  caveats: Type.Array(Type.String(), { description: 'Common misreadings.' }),
  clock_class: orNull(
    Type.Unsafe<ClockClass>(
      Type.Union(
        CLOCK_CLASSES.map((name) => Type.Literal(name)),
        { description: 'What its dates refer to.' },
      ),
    ),
  ),
  formula_protected: Type.Boolean({
    description: 'Whether the producer keeps the formula of its numbers private.',
  }),
  as_of: orNull(text('Day of this description, YYYY-MM-DD.')),
};

const SemanticsSchema = Type.Object(semanticsProperties);
/** The meaning of a surface or term, without formulas and magnitudes. */
export type Semantics = Static<typeof SemanticsSchema>;

/** A surface and its meaning. */
export interface DescribedSurface {
  readonly source: Source;
  readonly semantics: Semantics;
}

export const describeSurface = (source: Source, semantics: Semantics): DescribedSurface => ({
  source,
  semantics,
});
