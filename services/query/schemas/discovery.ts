import { Type } from '@sinclair/typebox';
import { orNull } from '../../../projections/values.ts';

/** What the discovery indexes have in common. */

const MOST = 200;
const DEFAULT = 50;

/** A limit that is refused beyond the most. */
export const Limit = Type.Integer({
  minimum: 1,
  maximum: MOST,
  default: DEFAULT,
  description: 'How many rows at most.',
});

/** A limit that is cut down to the most. */
export const ClampedLimit = Type.Integer({
  minimum: 1,
  default: DEFAULT,
  description: `How many rows at most; more than ${MOST} count as ${MOST}.`,
});
export const clampLimit = (limit: number): number => Math.min(limit, MOST);

const IndexState = Type.Union([Type.Literal('present'), Type.Literal('empty'), Type.Literal('degraded')], {
  description: 'present, empty where there is nothing, or degraded where a read failed.',
});

/** Which snapshot an answer is from. */
export const snapshotFields = {
  snapshotDate: orNull(
    Type.String({
      format: 'date',
      description: 'The UTC day on which the snapshot was published; null where there is none.',
    }),
  ),
  state: IndexState,
  stale: Type.Boolean({ description: 'Whether the snapshot was published more than 7 days ago.' }),
};
