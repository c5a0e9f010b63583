import type { ClientBase, Pool } from 'pg';
import type { Version } from './version.ts';

/** A version with all its recorded details. */
export interface VersionDetails extends Version {
  /** Documents to build; null until they are counted. */
  readonly planned: number | null;
  /** Of these, those still to build. */
  readonly left: number;
  /** Dirty documents. */
  readonly behind: number;
  readonly createdAt: Date;
  readonly pausedAt: Date | null;
  readonly readyAt: Date | null;
  readonly promotedAt: Date | null;
  readonly replacedAt: Date | null;
  /** The comparison with the version that was live when this one became ready, as the builder stored it. */
  readonly report: unknown;
}

/** The versions that are not retired, by projection and age. @param id only this one */
export async function versionDetails(
  db: ClientBase | Pool,
  id: number | null = null,
): Promise<VersionDetails[]> {
  const { rows } = await db.query<VersionDetails>(
    `select id, projection, state, code_version as "codeVersion", planned, report,
       (select coalesce(sum(size), 0) from projection.build_range range
        where range.version = version.id)::float8 as left,
       (select coalesce(sum(cardinality(keys)), 0) from projection.mark
        where mark.version = version.id)::float8 as behind,
       created_at as "createdAt", paused_at as "pausedAt", ready_at as "readyAt",
       promoted_at as "promotedAt", replaced_at as "replacedAt"
     from projection.version
     where state <> 'retired' and ($1::int4 is null or id = $1)
     order by projection, id`,
    [id],
  );
  return rows;
}
