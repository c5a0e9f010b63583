import { type Static, Type } from '@sinclair/typebox';
import type { Source } from '../sources/contract.ts';
import { orNull } from '../values.ts';

/**
 * What the dates of a surface are dates of: when something happened; when the producer first or last saw it; the day the
 * whole row was taken; a span that ends today and so moves with time alone; the ruling that stands.
 */
const CLOCK_CLASSES = ['event', 'sighting', 'snapshot', 'window', 'register'] as const;
type ClockClass = (typeof CLOCK_CLASSES)[number];

const text = (description: string) => Type.String({ description });

/** Fields of what is said of the meaning of a surface, in the order in which they are served. */
export const semanticsProperties = {
  audience_blurb: text('What it tells, for those who read it.'),
  scale_bands: Type.Array(Type.String(), { description: 'What the steps of its scales mean.' }),
  honest_limits: orNull(text('What it does not tell.')),
  caveats: Type.Array(Type.String(), { description: 'How it is misread.' }),
  clock_class: orNull(
    Type.Unsafe<ClockClass>(
      Type.Union(
        CLOCK_CLASSES.map((name) => Type.Literal(name)),
        { description: 'What its dates are dates of.' },
      ),
    ),
  ),
  formula_protected: Type.Boolean({
    description: 'Whether it holds numbers whose formula its producer keeps to itself.',
  }),
  as_of: orNull(text('Day of which this is said, YYYY-MM-DD.')),
};

const SemanticsSchema = Type.Object(semanticsProperties);
/** What is said of the meaning of something: neither formulas nor magnitudes. */
export type Semantics = Static<typeof SemanticsSchema>;

/** A surface and what its producer says of its meaning. */
export interface DescribedSurface {
  readonly source: Source;
  readonly semantics: Semantics;
}

export const describeSurface = (source: Source, semantics: Semantics): DescribedSurface => ({
  source,
  semantics,
});
