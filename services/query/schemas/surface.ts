import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { semanticsProperties } from '../../../projections/semantics/semantics.ts';
import { KEYSPACES, type SurfaceSource, servedName } from '../../../projections/sources/surfaces.ts';
import { orNull } from '../../../projections/values.ts';
import { LIVENESS } from '../serving/surface/liveness.ts';
import { DEGRADED_REASONS } from '../serving/surface/read-failure.ts';

export const SURFACE_INDEX_PATH = '/api/v2/surface';

export const SurfaceQuery = Type.Object(
  {
    cluster: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        'Cluster id, 64 hex digits, in the keyspace of the surface. One of another keyspace finds nothing.',
    }),
    after: Type.Optional(
      Type.String({
        description:
          'The next_after of the page before, verbatim. Not looked at where a cluster has at most one row.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Most rows of a page, clamped to the cap of the surface. Not looked at where a cluster has at most one row.',
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
  'populated; advisory where the producer has been silent for too long; empty where no cluster has a row.',
);
const CoverageNote = Type.String({
  description: 'What it means that there is a row, and that there is none.',
});
const GeneratedAt = Type.String({ format: 'date-time', description: 'Instant of this answer, in UTC.' });

const Semantics = Type.Object(semanticsProperties, {
  description: 'What its producer says of the meaning of the surface.',
});

const SurfaceRow = Type.Object(
  {
    name: Type.String({ description: 'Table of the producer, with its schema.' }),
    owner_repo: Type.String({ description: 'Who produces it.' }),
    enabled: Type.Boolean({ description: 'Whether it is served now; an operator may switch it off.' }),
    grain: oneOf(
      ['cluster-row', 'cluster-multirow', 'cluster-edge-list'],
      'How many rows a cluster has: at most one, several, or one for each other end of an edge.',
    ),
    key: Type.Object({
      type: Type.Literal('bytes'),
      keyspace: oneOf(KEYSPACES, 'What the keys are keys of.'),
      wire: Type.Literal('hex64', { description: '64 hex digits.' }),
    }),
    keyset: orNull(
      Type.Object(
        {
          order: Type.Array(
            Type.Object({ column: Type.String(), direction: oneOf(['asc', 'desc'], 'Order of the column.') }),
          ),
          seek: Type.Array(Type.String(), { description: 'Columns that a cursor stands for.' }),
        },
        { description: 'Order of the rows of a cluster; null where it has at most one.' },
      ),
    ),
    cap: Type.Object(
      { default: Type.Integer(), max: Type.Integer() },
      { description: 'Rows of a page: without limit, and at most.' },
    ),
    liveness: Liveness,
    coverage_note: CoverageNote,
    semantics: orNull(Semantics),
    dictionary: Type.String({ description: 'Where the dictionary speaks of it.' }),
  },
  { description: 'One surface.' },
);
export type SurfaceRow = Static<typeof SurfaceRow>;

export const SurfaceIndexBody = Type.Object({
  object: Type.Literal('surface.index'),
  state: oneOf(['present', 'degraded'], 'degraded where the surfaces could not be looked at now.'),
  surfaces: Type.Array(SurfaceRow),
  generated_at: GeneratedAt,
});
export type SurfaceIndexBody = Static<typeof SurfaceIndexBody>;

/** An answer with rows of the given schema. */
export const surfaceRowsBody = <Row extends TSchema>(row: Row) =>
  Type.Object({
    object: Type.Literal('surface.rows'),
    surface: Type.String({ description: 'Name of the surface.' }),
    present: Type.Boolean({ description: 'Whether the cluster has rows, on this page or before it.' }),
    state: oneOf(
      ['present', 'honest_gap', 'degraded'],
      'honest_gap where the cluster has no row; degraded where rows could not be read.',
    ),
    keyspace: oneOf(KEYSPACES, 'What the keys of the surface are keys of.'),
    liveness: Liveness,
    rows: Type.Array(row),
    next_after: orNull(Type.String({ description: 'Cursor of the next page; null where there is none.' })),
    coverage_note: CoverageNote,
    degraded_reason: orNull(oneOf(DEGRADED_REASONS, 'Why rows could not be read.')),
    generated_at: GeneratedAt,
  });

export const SurfaceRowsBody = surfaceRowsBody(
  Type.Object({}, { additionalProperties: true, description: 'The columns of the surface.' }),
);
export type SurfaceRowsBody = Static<typeof SurfaceRowsBody>;

/** The rows of one surface, as its contract has them. */
export const surfaceRowSchema = (source: SurfaceSource) =>
  Type.Object(
    Object.fromEntries(
      Object.entries<TSchema>(source.columns).map(([name, column]) => [servedName(source, name), column]),
    ),
  );
