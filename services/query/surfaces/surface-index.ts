import type { Pool } from 'pg';
import { int2Array } from '../../../db/arrays.ts';
import { memoizeFor } from '../../../infra/runtime/memoize-for.ts';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { ErrorBody } from '../../http/errors.ts';
import { cacheControlOf, FailedRead, limitShared, NOT_CONFIGURED, softReader } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';
import { livenessOf, presentNote, type SurfaceActivity, UNMEASURED } from './liveness.ts';
import { declaredSurfaces } from './registry.ts';
import { SURFACE_INDEX_PATH, SurfaceIndexBody } from './schema.ts';
import type { SurfaceApp } from './surface-rows.ts';
import type { SurfaceSwitches } from './switches.ts';

/** The registry of surfaces. */
export function indexRoute(
  app: SurfaceApp,
  parts: QueryParts,
  readSwitches: () => Promise<SurfaceSwitches>,
): void {
  const buildIndex = indexBuilder(app, parts, readSwitches);
  app.get(
    SURFACE_INDEX_PATH,
    {
      schema: {
        operationId: 'listSurfaces',
        summary: 'Registry of the surfaces: how each is keyed, paged, capped and covered',
        description:
          'Lists all surfaces: producer tables that are served as they are. Each entry says how its surface is keyed, paged, capped and covered, and whether it is enabled. Read it before you request rows. While the surfaces cannot be read, state is degraded and liveness is the last measured one.',
        tags: ['surface'],
        response: { 200: SurfaceIndexBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (_request, reply) => {
      const index = await buildIndex();
      reply.header('cache-control', cacheControlOf(index.state));
      return index;
    },
  );
}

/** Requests within this time share one measurement. */
const MEASURED_FOR_MS = 5_000;

/**
 * Makes a function that builds the registry index. It fails soft: while the surfaces cannot be read, the index keeps the
 * last measurement and its state is `degraded`.
 */
function indexBuilder(
  { inFlight: { leftMs } }: SurfaceApp,
  { surfacePool, registry, staleness, now, log }: QueryParts,
  readSwitches: () => Promise<SurfaceSwitches>,
): () => Promise<SurfaceIndexBody> {
  const ids = declaredSurfaces.map(({ source }) => registry.idOf(source));
  const shared = surfacePool === null ? null : limitShared(surfacePool);
  const measure = memoizeFor(
    MEASURED_FOR_MS,
    async () => (shared === null ? NOT_CONFIGURED : measureSurfaces(shared, ids)),
    now,
  );
  const read = softReader({ log, what: 'surface index', leftMs });
  let activity: ReadonlyMap<number, SurfaceActivity> = new Map();
  return async () => {
    const [measured, switches] = await Promise.all([read(measure), read(readSwitches)]);
    if (!(measured instanceof FailedRead)) activity = measured;
    const isSwitched = !(switches instanceof FailedRead);
    const { isStale } = staleness();
    const surfaces = declaredSurfaces.map(({ source, row }) => {
      const id = registry.idOf(source);
      const measuredActivity = activity.get(id);
      return {
        ...row,
        enabled: !(isSwitched && (switches.areAllOff || switches.isOff(source.table))),
        liveness: measuredActivity === undefined ? UNMEASURED : livenessOf(measuredActivity, isStale(id)),
        coverage_note: presentNote(row.coverage_note, measuredActivity),
      };
    });
    return {
      object: 'surface.index',
      state: isSwitched && !(measured instanceof FailedRead) ? 'present' : 'degraded',
      surfaces,
      generated_at: isoSecond(now()),
    };
  };
}

/** The first row of a source, found by the index of its keys, shows whether it has any. */
const MEASURE = `
  select known.id, known.newest_change_at is not null as has_delivered, first.key is not null as has_rows
  from unnest($1::int2[]) wanted (id)
    join ingest.source known on known.id = wanted.id
    left join lateral (
      select key from ingest.mirror where source = known.id and row is not null order by key limit 1
    ) first on true`;

interface MeasuredRow {
  readonly id: number;
  readonly has_delivered: boolean;
  readonly has_rows: boolean;
}

/** Reads the activity of sources by id, in one statement. */
async function measureSurfaces(
  pool: Pick<Pool, 'query'>,
  sourceIds: readonly number[],
): Promise<ReadonlyMap<number, SurfaceActivity>> {
  const { rows } = await pool.query<MeasuredRow>({
    name: 'surfaces-measured',
    text: MEASURE,
    values: [int2Array(sourceIds)],
  });
  return new Map(
    rows.map(({ id, has_delivered, has_rows }) => [
      id,
      { hasRows: has_rows, hasDelivered: has_rows || has_delivered },
    ]),
  );
}
