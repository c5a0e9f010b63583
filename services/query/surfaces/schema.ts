import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { KEYSPACES, type SurfaceSource, servedName } from '../../../projections/contracts/surfaces.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { semanticsProperties } from '../../../projections/models/semantics/semantics.ts';
import { DEGRADED_REASONS } from '../../http/soft-read.ts';
import { LIVENESS } from './liveness.ts';

export const SURFACE_INDEX_PATH = '/api/v2/surface';

export const SurfaceQuery = Type.Object(
  {
    cluster: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        'Cluster id, 64 hex digits, in the keyspace of the surface. An id of another keyspace finds nothing.',
    }),
    after: Type.Optional(
      Type.String({
        description:
          'The next_after of the previous page, verbatim. Ignored if a cluster has at most one row.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Maximum rows of a page, clamped to the cap of the surface. Ignored if a cluster has at most one row.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SurfaceQuery = Static<typeof SurfaceQuery>;

const oneOf = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  );

const Liveness = oneOf(
  LIVENESS,
  'populated; advisory if the source is stale, as in provenance; empty if no cluster has a row.',
);
const CoverageNote = Type.String({
  description: 'The meaning of a row and of a missing row.',
});
const GeneratedAt = Type.String({ format: 'date-time', description: 'Time of this response, in UTC.' });

const Semantics = Type.Object(semanticsProperties, {
  description: 'The meaning of the surface, as described by its producer.',
});

const SurfaceRow = Type.Object(
  {
    name: Type.String({ description: 'Table of the producer, with its schema.' }),
    owner_repo: Type.String({ description: 'Producer of the surface.' }),
    enabled: Type.Boolean({ description: 'Whether the surface is served. An operator can disable it.' }),
    grain: oneOf(
      ['cluster-row', 'cluster-multirow', 'cluster-edge-list'],
      'Rows per cluster: at most one, several, or one per edge.',
    ),
    key: Type.Object({
      type: Type.Literal('bytes'),
      keyspace: oneOf(KEYSPACES, 'Keyspace of the cluster ids.'),
      wire: Type.Literal('hex64', { description: '64 hex digits.' }),
    }),
    keyset: orNull(
      Type.Object(
        {
          order: Type.Array(
            Type.Object({
              column: Type.String(),
              direction: oneOf(['asc', 'desc'], 'Sort direction of the column.'),
            }),
          ),
          seek: Type.Array(Type.String(), { description: 'Columns that a cursor encodes.' }),
        },
        { description: 'Order of the rows of a cluster; null if it has at most one.' },
      ),
    ),
    cap: Type.Object(
      { default: Type.Integer(), max: Type.Integer() },
      { description: 'Rows per page: default and maximum.' },
    ),
    liveness: Liveness,
    coverage_note: CoverageNote,
    semantics: orNull(Semantics),
    dictionary: Type.String({ description: 'Path of its dictionary entry.' }),
  },
  { description: 'One surface.' },
);
export type SurfaceRow = Static<typeof SurfaceRow>;

export const SurfaceIndexBody = Type.Object({
  object: Type.Literal('surface.index'),
  state: oneOf(
    ['present', 'degraded'],
    'degraded: the surfaces could not be read within 4 seconds; liveness and enabled are as last known.',
  ),
  surfaces: Type.Array(SurfaceRow),
  generated_at: GeneratedAt,
});
export type SurfaceIndexBody = Static<typeof SurfaceIndexBody>;

/** A response with rows of the given schema. */
export const surfaceRowsBody = <Row extends TSchema>(row: Row) =>
  Type.Object({
    object: Type.Literal('surface.rows'),
    surface: Type.String({ description: 'Name of the surface.' }),
    present: Type.Boolean({ description: 'Whether the cluster has rows on this page or before it.' }),
    state: oneOf(
      ['present', 'honest_gap', 'degraded'],
      'honest_gap: the cluster has no row. degraded: rows could not be read within 4 seconds.',
    ),
    keyspace: oneOf(KEYSPACES, 'Keyspace of the surface.'),
    liveness: Liveness,
    rows: Type.Array(row),
    next_after: orNull(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
    coverage_note: CoverageNote,
    degraded_reason: orNull(
      oneOf(
        DEGRADED_REASONS,
        'Why rows could not be read; not_configured: the service has no pool for surfaces.',
      ),
    ),
    generated_at: GeneratedAt,
  });

export const SurfaceRowsBody = surfaceRowsBody(
  Type.Object({}, { additionalProperties: true, description: 'The columns of the surface.' }),
);
export type SurfaceRowsBody = Static<typeof SurfaceRowsBody>;

/** The schema of a row of one surface, from its contract. */
export const surfaceRowSchema = (source: SurfaceSource) =>
  Type.Object(
    Object.fromEntries(
      Object.entries<TSchema>(source.columns).map(([name, column]) => [servedName(source, name), column]),
    ),
  );
