import type { ClientBase, Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import type { SubjectKind } from '../sources/contract.ts';
import { ownFingerprints } from './fingerprint.ts';

/**
 * A version is built, is ready to be served, is live, and when another takes its place the previous one, kept up to date
 * so that the way back is short. A retired one waits for its tables to be dropped.
 */
export type VersionState = 'building' | 'ready' | 'live' | 'previous' | 'retired';

export interface Version {
  readonly id: number;
  readonly projection: string;
  readonly state: VersionState;
  /** Of the code that makes its documents; no other code may write any. */
  readonly fingerprint: string;
  /** By which kinds of subject it reads which tables, where that is other code than this. */
  readonly reads?: Readonly<Record<string, readonly SubjectKind[]>> | null;
  /** Whether it is brought up to date before the live one, whose place it is to take. */
  readonly isFavoured?: boolean | null;
}

/** Versions of one projection by the same code, whose documents are the same; the first is served, or about to be. */
export type VersionFamily = readonly [Version, ...Version[]];

/** Name of a projection's view, and with an ending of what goes with it. */
export const viewOf = (projection: string): string => `read.${projection.replaceAll('-', '_')}`;

/** Where a version's documents and addresses stand. */
export const documentTable = ({ projection, id }: Pick<Version, 'id' | 'projection'>): string =>
  `${viewOf(projection)}_${id}`;
export const addressTable = (version: Pick<Version, 'id' | 'projection'>): string =>
  `${documentTable(version)}_address`;

const COLUMNS = 'id, projection, state, fingerprint';

/** Versions whose documents are kept up to date. */
export async function keptVersions(client: ClientBase | Pool): Promise<Version[]> {
  const { rows } = await client.query<Version>({
    name: 'kept-versions',
    text: `select ${COLUMNS}, favoured_until > now() as "isFavoured",
             case when fingerprint = any($1::text[]) then null else reads end as reads
           from projection.version where state <> 'retired' order by id`,
    values: [textArray(ownFingerprints())],
  });
  return rows;
}

export async function liveVersion(client: ClientBase | Pool, projection: string): Promise<Version | null> {
  return (await versionsOf(client, projection)).find(({ state }) => state === 'live') ?? null;
}

/** The versions of one projection that are not retired, by id. */
export async function versionsOf(client: ClientBase | Pool, projection: string): Promise<Version[]> {
  const { rows } = await client.query<Version>(
    `select ${COLUMNS} from projection.version where projection = $1 and state <> 'retired' order by id`,
    [projection],
  );
  return rows;
}

/** A version as it stands now; null where it is gone or retired. */
export async function findVersion(client: ClientBase | Pool, id: number): Promise<Version | null> {
  const { rows } = await client.query<Version>(
    `select ${COLUMNS} from projection.version where id = $1 and state <> 'retired'`,
    [id],
  );
  return rows[0] ?? null;
}

/** How many marked documents a version has still to take up; one that is marked twice counts twice. */
export async function countMarks(client: ClientBase | Pool, { id }: Pick<Version, 'id'>): Promise<number> {
  const { rows } = await client.query<{ marks: number }>({
    name: 'count-marks',
    text: `select coalesce(sum(cardinality(keys)), 0)::float8 as marks from projection.mark where version = $1`,
    values: [id],
  });
  return rows[0]?.marks ?? 0;
}
