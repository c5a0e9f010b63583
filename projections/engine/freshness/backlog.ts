import type { Pool } from 'pg';

/** How many records of a partition of a log or file ended in which way. The outcomes add up to those read. */
export interface RecordCounts {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Null for records of no source. */
  readonly source: string | null;
  readonly read: number;
  readonly applied: number;
  readonly older: number;
  readonly equal: number;
  readonly deadLetters: number;
  readonly ignored: number;
}

/** Counts of records and of open work. Counting costs time in proportion to the backlog: for operators, not for every request. */
export interface Backlog {
  readonly versions: readonly VersionBacklog[];
  /** Open dead letters by table, those of unknown tables under null. */
  readonly deadLetters: ReadonlyMap<string | null, number>;
  readonly records: readonly RecordCounts[];
  /** Rows that snapshots lack and that stay until an operator decides, by table. */
  readonly unsweptRows: ReadonlyMap<string, number>;
}

interface VersionBacklog {
  readonly projection: string;
  readonly id: number;
  readonly state: string;
  /** Documents marked and not projected yet; one marked twice counts twice. */
  readonly marks: number;
  /** Time since a process requested to make it live; null if none does. */
  readonly switchSeconds: number | null;
}

const VERSIONS = `
  select projection, id, state, coalesce(marked.keys, 0)::float8 as marks,
    case when switch_until > now() then extract(epoch from now() - switch_requested_at)::float8 end as "switchSeconds"
  from projection.version
    left join (
      select version, sum(cardinality(keys)) as keys from projection.mark group by version
    ) marked on marked.version = version.id
  order by projection, id`;

const DEAD_LETTERS = `
  select source.name as source, count(*)::float8 as count
  from ingest.dead_letter left join ingest.source on source.id = dead_letter.source
  where dead_letter.state = 'open'
  group by source.name`;

const RECORDS = `
  select consumer_group as "group", topic, partition, source.name as source, read::float8 as read,
    applied::float8 as applied, older::float8 as older, equal::float8 as equal, dead_letters::float8 as "deadLetters",
    ignored::float8 as ignored
  from ingest.record_count left join ingest.source on source.id = record_count.source
  where read > 0
  order by consumer_group, topic, partition, source.name`;

const UNSWEPT = `
  select source.name as source, sum(missing)::float8 as missing
  from ingest.sweep join ingest.source on source.id = sweep.source
  where state = 'blocked' group by source.name`;

export async function readBacklog(pool: Pool): Promise<Backlog> {
  const versions = await pool.query<VersionBacklog>({ name: 'backlog-of-versions', text: VERSIONS });
  const deadLetters = await pool.query<{ source: string | null; count: number }>({
    name: 'open-dead-letters',
    text: DEAD_LETTERS,
  });
  const records = await pool.query<RecordCounts>({ name: 'record-counts', text: RECORDS });
  const unswept = await pool.query<{ source: string; missing: number }>({
    name: 'unswept-rows',
    text: UNSWEPT,
  });
  return {
    unsweptRows: new Map(unswept.rows.map(({ source, missing }) => [source, missing])),
    records: records.rows,
    versions: versions.rows,
    deadLetters: new Map(deadLetters.rows.map(({ source, count }) => [source, count])),
  };
}
