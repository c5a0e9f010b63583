import { type Static, Type } from '@sinclair/typebox';
import { Teaser } from '../../../projections/preview/teaser.ts';
import { GeneratedAt } from './envelope.ts';

export const PreviewQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Name, slug or cluster id of 64 hex digits; a name is matched whole, case does not matter.',
    }),
  },
  { additionalProperties: false },
);

export const PreviewBody = Type.Object({
  object: Type.Literal('artist.preview'),
  present: Type.Boolean({ description: 'False where nobody was found.' }),
  ...Teaser.properties,
  note: Type.String({ description: 'What to know about this preview.' }),
  generated_at: GeneratedAt,
});
export type PreviewBody = Static<typeof PreviewBody>;
