import type { ClientBase, Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import type { SubjectKind } from '../../contracts/contract.ts';
import type { Projection } from '../projection.ts';
import { IS_OWN, ownCodeVersions } from './code-version.ts';

/**
 * A version is built, becomes ready, is promoted to live, and becomes the previous one when another is promoted. The
 * previous version stays current so that a rollback is instant. A retired version waits until its tables are dropped.
 */
export type VersionState = 'building' | 'ready' | 'live' | 'previous' | 'retired';

export interface Version {
  readonly id: number;
  readonly projection: string;
  readonly state: VersionState;
  /** `codeVersion` of the read model that makes its documents; no other code may write any. */
  readonly codeVersion: string;
}

/** A version that is not retired, so that its documents are marked dirty. */
export interface KeptVersion extends Version {
  /** The kinds of subject by which it reads each table. */
  readonly reads: ReadonlyMap<string, readonly SubjectKind[]>;
  /** Whether projectors work on it before the live one, which it is about to replace. */
  readonly isFavoured: boolean;
}

/** Versions of one projection by the same code, so with the same documents. The first is served, or about to be. */
export type VersionGroup<V extends Version = Version> = readonly [V, ...V[]];

/** The view of a projection; the names of its tables begin with it. */
export const viewOf = (projection: string): string => `read.${projection.replaceAll('-', '_')}`;

/** The table of a version's documents. */
export const documentTable = ({ projection, id }: Pick<Version, 'id' | 'projection'>): string =>
  `${viewOf(projection)}_${id}`;
/** The table of the keys that its documents are looked up by. */
export const lookupTable = (version: Pick<Version, 'id' | 'projection'>): string =>
  `${documentTable(version)}_address`;

/** Columns of `projection.version` that make a `Version`. */
export const VERSION_COLUMNS = 'id, projection, state, code_version as "codeVersion"';

interface KeptVersionRow extends Version {
  /** Null for a version of this release, whose reads the code knows. */
  readonly reads: Readonly<Record<string, readonly SubjectKind[]>> | null;
  readonly isFavoured: boolean | null;
}

/**
 * The versions that are not retired, by id. Those of other releases may read what this one does not, and have their
 * documents marked dirty all the same.
 *
 * @param projections the read models of this release
 */
export async function keptVersions(
  client: ClientBase | Pool,
  projections: readonly Projection[],
): Promise<KeptVersion[]> {
  const { rows } = await client.query<KeptVersionRow>({
    name: 'kept-versions',
    text: `select ${VERSION_COLUMNS}, favoured_until > now() as "isFavoured",
             case when ${IS_OWN} then null else reads end as reads
           from projection.version where state <> 'retired' order by id`,
    values: [textArray(ownCodeVersions(projections))],
  });
  return rows.map((row) => ({
    ...row,
    reads: row.reads === null ? ownReads(projections, row.projection) : new Map(Object.entries(row.reads)),
    isFavoured: row.isFavoured ?? false,
  }));
}

function ownReads(projections: readonly Projection[], name: string): KeptVersion['reads'] {
  const reads = projections.find((projection) => projection.name === name)?.reads ?? [];
  return new Map(reads.map(({ source, by }) => [source.table, by]));
}

export async function liveVersion(client: ClientBase | Pool, projection: string): Promise<Version | null> {
  return (await versionsOf(client, projection)).find(({ state }) => state === 'live') ?? null;
}

/** The versions of one projection that are not retired, by id. */
export async function versionsOf(client: ClientBase | Pool, projection: string): Promise<Version[]> {
  const { rows } = await client.query<Version>(
    `select ${VERSION_COLUMNS} from projection.version where projection = $1 and state <> 'retired' order by id`,
    [projection],
  );
  return rows;
}

/** The current state of a version; null if it is gone or retired. */
export async function findVersion(client: ClientBase | Pool, id: number): Promise<Version | null> {
  const { rows } = await client.query<Version>(
    `select ${VERSION_COLUMNS} from projection.version where id = $1 and state <> 'retired'`,
    [id],
  );
  return rows[0] ?? null;
}

/** The number of dirty documents of a version; one that is marked twice counts twice. */
export async function countMarks(client: ClientBase | Pool, { id }: Pick<Version, 'id'>): Promise<number> {
  const { rows } = await client.query<{ marks: number }>({
    name: 'count-marks',
    text: `select coalesce(sum(cardinality(keys)), 0)::float8 as marks from projection.mark where version = $1`,
    values: [id],
  });
  return rows[0]?.marks ?? 0;
}
