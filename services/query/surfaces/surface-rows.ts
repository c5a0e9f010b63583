import { type FastifyPluginCallbackTypebox, Type } from '@fastify/type-provider-typebox';
import { capOf, isPaged, surfaces } from '../../../projections/contracts/surfaces.ts';
import { isoSecond } from '../../../projections/engine/provenance.ts';
import { ApiError, ErrorBody } from '../../http/errors.ts';
import { sendJson } from '../../http/send-json.ts';
import { cacheControlOf, FailedRead, NOT_CONFIGURED, softReader } from '../../http/soft-read.ts';
import type { QueryParts } from '../parts.ts';
import { type CursorScope, type RowPosition, readCursor, writeCursor } from './cursor.ts';
import { livenessOf, presentNote, UNMEASURED } from './liveness.ts';
import { readPage, START } from './read-page.ts';
import { type DeclaredSurface, declaredByName } from './registry.ts';
import { SURFACE_INDEX_PATH, SurfaceQuery, SurfaceRowsBody } from './schema.ts';
import { sharedSecret } from './shared-secret.ts';
import type { SurfaceSwitches } from './switches.ts';

/** The Fastify instance that the routes of surfaces are added to. */
export type SurfaceApp = Parameters<FastifyPluginCallbackTypebox>[0];

/** The rows of one surface for one cluster. */
export function rowsRoute(
  app: SurfaceApp,
  parts: QueryParts,
  readSwitches: () => Promise<SurfaceSwitches>,
): void {
  const readRows = rowsReader(app, parts, readSwitches);
  app.get(
    `${SURFACE_INDEX_PATH}/:name`,
    {
      config: { errors: ['unknown_surface', 'invalid_cursor', 'surface_disabled', 'surfaces_disabled'] },
      schema: {
        operationId: 'getSurfaceRows',
        summary: 'Rows of one surface for one cluster',
        description:
          'Returns the rows of one surface for one cluster, page by page: pass next_after back verbatim as after. A cluster without rows, or of another keyspace, has state honest_gap. While the surface cannot be read, state is degraded, rows is empty and degraded_reason says why. limit is clamped to the cap of the surface; surfaces with one row per cluster ignore it.',
        tags: ['surface'],
        params: Type.Object({
          name: Type.String({ description: 'A surface name from the registry.' }),
        }),
        querystring: SurfaceQuery,
        response: { 200: SurfaceRowsBody, '4xx': ErrorBody, '5xx': ErrorBody },
      },
      // Before schema validation: surfaces with one row per cluster ignore the paging parameters.
      preValidation: (request, _reply, next) => {
        const { source } = declaredSurface(request.params.name);
        if (!isPaged(source)) {
          const { after: _after, limit: _limit, ...rest } = request.query;
          request.query = rest;
        }
        next();
      },
    },
    async (request, reply) => {
      const { state, text } = await readRows(declaredSurface(request.params.name), request.query);
      return sendJson(reply, text, cacheControlOf(state));
    },
  );
}

/** @throws ApiError `unknown_surface` */
function declaredSurface(name: string): DeclaredSurface {
  const declared = declaredByName.get(name);
  if (declared !== undefined) return declared;
  throw new ApiError('unknown_surface', {
    param: 'name',
    hint: `Use one of ${surfaces.map(({ table }) => table).join(', ')}.`,
    next: SURFACE_INDEX_PATH,
  });
}

const SECRET_NAME = 'surface-cursor';

/** The members of a response that depend on the request. */
interface RowsResult
  extends Pick<
    SurfaceRowsBody,
    'present' | 'state' | 'liveness' | 'next_after' | 'coverage_note' | 'degraded_reason'
  > {
  /** As stored. */
  readonly rows: readonly string[];
}

type FindRows = (surface: DeclaredSurface, query: SurfaceQuery) => Promise<RowsResult | FailedRead>;

const DEGRADED = {
  present: false,
  state: 'degraded',
  liveness: UNMEASURED,
  rows: [],
  next_after: null,
} as const;

/**
 * Makes a function that reads the rows of one cluster as JSON text. It fails soft: if rows cannot be read, the state is
 * `degraded`.
 *
 * @returns rejects with ApiError `surface_disabled`, `surfaces_disabled` or `invalid_cursor`
 */
function rowsReader(
  { inFlight: { leftMs } }: SurfaceApp,
  parts: QueryParts,
  readSwitches: () => Promise<SurfaceSwitches>,
): (surface: DeclaredSurface, query: SurfaceQuery) => Promise<Pick<RowsResult, 'state'> & { text: string }> {
  const find = rowsFinder(parts);
  const read = softReader({ log: parts.log, what: 'surface', leftMs });
  return async (surface, query) => {
    const found = await read(async () => {
      rejectIfOff(await readSwitches(), surface.row.name);
      return find(surface, query);
    });
    const result =
      found instanceof FailedRead
        ? { ...DEGRADED, coverage_note: surface.row.coverage_note, degraded_reason: found.reason }
        : found;
    return { state: result.state, text: bodyText(surface, result, isoSecond(parts.now())) };
  };
}

/** @throws ApiError */
function rejectIfOff({ areAllOff, isOff }: SurfaceSwitches, name: string): void {
  if (areAllOff) throw new ApiError('surfaces_disabled');
  if (!isOff(name)) return;
  throw new ApiError('surface_disabled', {
    message: `The surface ${name} is disabled.`,
    param: 'name',
    next: SURFACE_INDEX_PATH,
  });
}

function rowsFinder({ surfacePool, accessPool, registry, staleness, cursorSecret }: QueryParts): FindRows {
  if (surfacePool === null) return async () => NOT_CONFIGURED;
  const readSecret =
    cursorSecret === undefined
      ? sharedSecret(accessPool, SECRET_NAME)
      : async () => Buffer.from(cursorSecret);
  return async ({ source, row }, { cluster, after, limit }) => {
    const scope = { surface: source.table, cluster: cluster.toLowerCase() };
    const cap = capOf(source);
    const secret = isPaged(source) ? await readSecret() : null;
    const sourceId = registry.idOf(source);
    const page = await readPage(surfacePool, {
      sourceId,
      cluster: scope.cluster,
      after: secret === null || after === undefined ? START : positionOf(secret, scope, after),
      limit: Math.min(limit ?? cap.default, cap.max),
    });
    return {
      present: page.isPresent,
      state: page.isPresent ? 'present' : 'honest_gap',
      liveness: livenessOf(page, staleness().isStale(sourceId)),
      rows: page.rows,
      next_after: secret === null || page.last === null ? null : writeCursor(secret, scope, page.last),
      coverage_note: presentNote(row.coverage_note, page),
      degraded_reason: null,
    };
  };
}

/** @throws ApiError `invalid_cursor` */
function positionOf(secret: Buffer, scope: CursorScope, cursor: string): RowPosition {
  const position = readCursor(secret, scope, cursor);
  if (position !== null) return position;
  throw new ApiError('invalid_cursor', {
    param: 'after',
    next: `${SURFACE_INDEX_PATH}/${scope.surface}?cluster=${scope.cluster}`,
  });
}

/** Rows stay text; only the members around them are serialised here. */
function bodyText({ row, write }: DeclaredSurface, found: RowsResult, generatedAt: string): string {
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
