import { isoSecond } from '../../../../projections/provenance.ts';
import { capOf, isPaged } from '../../../../projections/sources/surfaces.ts';
import { ApiError } from '../../errors.ts';
import type { QueryParts } from '../../parts.ts';
import { SURFACE_INDEX_PATH, type SurfaceQuery, type SurfaceRowsBody } from '../../schemas/surface.ts';
import { presentNote } from './coverage-note.ts';
import { type CursorScope, type Position, readCursor, writeCursor } from './cursor.ts';
import { keptSecret } from './kept-secret.ts';
import { livenessOf, UNSEEN } from './liveness.ts';
import { degradedReason } from './read-failure.ts';
import { readPage, START } from './read-page.ts';
import type { DeclaredSurface } from './registry.ts';
import type { Switches } from './switches.ts';

const SECRET_NAME = 'surface-cursor';

/** What is found out anew for each answer. */
interface Found
  extends Pick<
    SurfaceRowsBody,
    'present' | 'state' | 'liveness' | 'next_after' | 'coverage_note' | 'degraded_reason'
  > {
  /** As stored. */
  readonly rows: readonly string[];
}

type FindRows = (surface: DeclaredSurface, query: SurfaceQuery) => Promise<Found>;

const DEGRADED = { present: false, state: 'degraded', liveness: UNSEEN, rows: [], next_after: null } as const;

/**
 * Answers requests for rows of one cluster with JSON text. It fails soft: where rows cannot be read, the state is `degraded`.
 *
 * @returns rejects with ApiError `surface_disabled`, `surfaces_disabled` or `invalid_cursor`, and where the database is busy,
 * away or late
 */
export function rowsAnswerer(
  parts: QueryParts,
  readSwitches: () => Promise<Switches>,
): (surface: DeclaredSurface, query: SurfaceQuery) => Promise<string> {
  const find = rowsFinder(parts);
  const findSoftly: FindRows = async (surface, query) => {
    try {
      refuseIfOff(await readSwitches(), surface.row.name);
      return await find(surface, query);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const reason = degradedReason(error);
      parts.log.warn({ err: error, reason, surface: surface.row.name }, 'a surface is degraded');
      return { ...DEGRADED, coverage_note: surface.row.coverage_note, degraded_reason: reason };
    }
  };
  return async (surface, query) =>
    answerText(surface, await findSoftly(surface, query), isoSecond(parts.now()));
}

/** @throws ApiError */
function refuseIfOff({ areAllOff, isOff }: Switches, name: string): void {
  if (areAllOff) throw new ApiError('surfaces_disabled');
  if (!isOff(name)) return;
  throw new ApiError('surface_disabled', {
    message: `The surface ${name} is switched off.`,
    param: 'name',
    next: SURFACE_INDEX_PATH,
  });
}

function rowsFinder({ readPool, accessPool, registry, now, cursorSecret }: QueryParts): FindRows {
  const readSecret =
    cursorSecret === undefined ? keptSecret(accessPool, SECRET_NAME) : async () => Buffer.from(cursorSecret);
  return async ({ source, row }, { cluster, after, limit }) => {
    const scope = { surface: source.table, cluster: cluster.toLowerCase() };
    const cap = capOf(source);
    const secret = isPaged(source) ? await readSecret() : null;
    const page = await readPage(readPool, {
      sourceId: registry.idOf(source),
      cluster: scope.cluster,
      after: secret === null || after === undefined ? START : positionOf(secret, scope, after),
      limit: Math.min(limit ?? cap.default, cap.max),
    });
    return {
      present: page.isPresent,
      state: page.isPresent ? 'present' : 'honest_gap',
      liveness: livenessOf(source, page, now()),
      rows: page.rows,
      next_after: secret === null || page.last === null ? null : writeCursor(secret, scope, page.last),
      coverage_note: presentNote(row.coverage_note, page),
      degraded_reason: null,
    };
  };
}

/** @throws ApiError `invalid_cursor` */
function positionOf(secret: Buffer, scope: CursorScope, cursor: string): Position {
  const position = readCursor(secret, scope, cursor);
  if (position !== null) return position;
  throw new ApiError('invalid_cursor', {
    param: 'after',
    next: `${SURFACE_INDEX_PATH}/${scope.surface}?cluster=${scope.cluster}`,
  });
}

/** Rows are text, and stay so: only what stands around them is written here. */
function answerText({ row, write }: DeclaredSurface, found: Found, generatedAt: string): string {
  const opening = {
    object: 'surface.rows',
    surface: row.name,
    present: found.present,
    state: found.state,
    keyspace: row.key.keyspace,
    liveness: found.liveness,
  };
  const closing = {
    next_after: found.next_after,
    coverage_note: found.coverage_note,
    degraded_reason: found.degraded_reason,
    generated_at: generatedAt,
  };
  const rows = found.rows.map(write).join(',');
  return `${JSON.stringify(opening).slice(0, -1)},"rows":[${rows}],${JSON.stringify(closing).slice(1)}`;
}
