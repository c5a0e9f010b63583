import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { isStale } from '../../../projections/engine/published/published-index.ts';
import { readFirst } from '../../../projections/engine/published/read-published.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { FailedRead, softReader } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';

/** The parameters and members that the discovery indexes share. */

const MOST = 200;
const DEFAULT = 50;

/** A limit above the maximum is rejected. */
export const Limit = Type.Integer({
  minimum: 1,
  maximum: MOST,
  default: DEFAULT,
  description: 'Maximum number of rows.',
});

/** A limit above the maximum is clamped. */
export const ClampedLimit = Type.Integer({
  minimum: 1,
  default: DEFAULT,
  description: `Maximum number of rows, clamped to ${MOST}.`,
});
export const clampLimit = (limit: number): number => Math.min(limit, MOST);

const IndexState = Type.Union([Type.Literal('present'), Type.Literal('empty'), Type.Literal('degraded')], {
  description: 'present, empty if there are no rows, or degraded if no read succeeded within 4 seconds.',
});

/** Members that describe the snapshot of a response. */
export const snapshotFields = {
  snapshotDate: orNull(
    Type.String({
      format: 'date',
      description: 'UTC day on which the snapshot was published; null without a snapshot.',
    }),
  ),
  state: IndexState,
  stale: Type.Boolean({ description: 'Whether the snapshot was published more than 7 days ago.' }),
};

/** The rows of an index and the members that describe their snapshot. */
interface IndexRows {
  rowsOf(list: string): unknown[];
  readonly rows: readonly unknown[];
  readonly about: {
    readonly snapshotDate: string | null;
    readonly state: 'present' | 'empty' | 'degraded';
    readonly stale: boolean;
  };
}

export type ReadIndex = (lists: readonly string[], limit: number) => Promise<IndexRows>;

const WITHOUT_SNAPSHOT = { snapshotDate: null, stale: false } as const;

/** Makes a function that reads the first rows of lists of a published index. An index without a snapshot is empty. */
export function indexReader(
  { inFlight: { leftMs } }: Pick<FastifyInstance, 'inFlight'>,
  { readPool, now, log }: QueryParts,
  index: string,
): ReadIndex {
  const read = softReader({ log, what: index, leftMs });
  return async (lists, limit) => {
    const found = await read(() => readFirst(readPool, index, { lists, limit }));
    if (found === null || found instanceof FailedRead) {
      const state = found === null ? 'empty' : 'degraded';
      return { rowsOf: () => [], rows: [], about: { ...WITHOUT_SNAPSHOT, state } };
    }
    const { day, publishedAt, entries } = found;
    return {
      rowsOf: (list) => entries.flatMap((entry) => (entry.list === list ? [entry.body] : [])),
      rows: entries.map(({ body }) => body),
      about: {
        snapshotDate: day,
        state: entries.length > 0 ? 'present' : 'empty',
        stale: isStale(publishedAt, now()),
      },
    };
  };
}
