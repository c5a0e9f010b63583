import type { Pool } from 'pg';

/** What waits to be done, by count. Counting costs as much as there is; for operators, not for every request. */
export interface Backlog {
  readonly versions: readonly VersionBacklog[];
  /** Open dead letters by table, those of unknown tables under null. */
  readonly deadLetters: ReadonlyMap<string | null, number>;
}

interface VersionBacklog {
  readonly projection: string;
  readonly id: number;
  readonly state: string;
  /** Documents marked and not projected yet; one marked twice counts twice. */
  readonly marks: number;
}

const VERSIONS = `
  select projection, id, state, coalesce(marked.keys, 0)::float8 as marks
  from projection.version
    left join (
      select version, sum(cardinality(keys)) as keys from projection.mark group by version
    ) marked on marked.version = version.id
  order by projection, id`;

const DEAD_LETTERS = `
  select source.name as source, count(*)::float8 as letters
  from ingest.dead_letter left join ingest.source on source.id = dead_letter.source
  where dead_letter.state = 'open'
  group by source.name`;

export async function readBacklog(pool: Pool): Promise<Backlog> {
  const versions = await pool.query<VersionBacklog>({ name: 'backlog-of-versions', text: VERSIONS });
  const letters = await pool.query<{ source: string | null; letters: number }>({
    name: 'open-dead-letters',
    text: DEAD_LETTERS,
  });
  return {
    versions: versions.rows,
    deadLetters: new Map(letters.rows.map(({ source, letters: count }) => [source, count])),
  };
}
