import { Type } from '@sinclair/typebox';
import { orNull } from '../../../projections/values.ts';

const standing = (description: string) =>
  Type.Object(
    {
      window_seconds: Type.Integer({ description: 'Length of the window that requests are counted in.' }),
      limit: Type.Integer({ description: 'Requests allowed in the window.' }),
      remaining: Type.Integer({ description: 'Requests left in it.' }),
      resets_at: Type.String({ format: 'date-time', description: 'When it ends, in UTC.' }),
    },
    { description },
  );

export const UsageBody = Type.Object({
  object: Type.Literal('usage'),
  key: Type.Object({
    id: Type.String({ description: 'What the key may be told by; no part of its secret.' }),
    environment: Type.Union([Type.Literal('live'), Type.Literal('test')]),
    tier: Type.String(),
    expires_at: orNull(
      Type.String({ format: 'date-time', description: 'When the key stops working; null for never.' }),
    ),
  }),
  limits: Type.Object({
    requests: standing('All requests with this key, this one included.'),
    track_resolve: standing('Requests for the length of tracks, which are counted apart as well.'),
    tier: orNull(
      standing('Requests with all keys of the tier together; null where they are not counted so.'),
    ),
    concurrency: Type.Object({
      limit: orNull(
        Type.Integer({ description: 'Requests that may be under way at once; null for any number.' }),
      ),
      under_way: Type.Integer({ description: 'Requests with this key under way, this one included.' }),
    }),
  }),
  generated_at: Type.String({ format: 'date-time' }),
});
