import type { ClientBase } from 'pg';
import { int2Array } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import type { Truncate } from '../decode/envelope.ts';

export interface Floors {
  /** The version up to which a source's changes have lost to a truncate; null without one. */
  floorOf(source: Source): string | null;
  /** What the truncated rows were about. */
  readonly removed: readonly {
    readonly source: Source;
    readonly refs: readonly SubjectRef[];
  }[];
}

/** Empties truncated sources of what is older than the truncate, and tells the floors that stand now. */
export async function applyTruncates(
  client: ClientBase,
  truncates: readonly Truncate[],
  touched: ReadonlySet<Source>,
  registry: SourceRegistry,
): Promise<Floors> {
  const removed: { source: Source; refs: SubjectRef[] }[] = [];
  for (const { source, version } of truncates) {
    const id = registry.idOf(source);
    const { rowCount } = await client.query(
      `update ingest.source set truncated_version = $2
       where id = $1 and (truncated_version is null or truncated_version < $2)`,
      [id, version],
    );
    if (rowCount === 0) continue;
    removed.push({
      source,
      refs: await removeOlder(client, source, id, version),
    });
  }
  const { rows } = await client.query<{
    id: number;
    truncated_version: string;
  }>({
    name: 'truncate-floors',
    text: `select id, truncated_version from ingest.source
           where id = any($1::int2[]) and truncated_version is not null`,
    values: [int2Array([...touched].map((source) => registry.idOf(source)))],
  });
  const floors = new Map(rows.map((row) => [row.id, row.truncated_version]));
  return {
    floorOf: (source) => floors.get(registry.idOf(source)) ?? null,
    removed,
  };
}

async function removeOlder(
  client: ClientBase,
  source: Source,
  id: number,
  version: string,
): Promise<SubjectRef[]> {
  const { rows: links } = await client.query<{ subject: SubjectRef }>(
    `delete from ingest.link using ingest.mirror
     where link.source = $1 and mirror.source = $1 and mirror.key = link.key and mirror.version < $2
     returning link.subject`,
    [id, version],
  );
  const { rows } = await client.query<{ subject: string }>(
    `delete from ingest.mirror where source = $1 and version < $2 returning subject`,
    [id, version],
  );
  const refs = new Set(links.map((link) => link.subject));
  for (const { subject } of rows) refs.add(`${source.subject.kind}:${subject}`);
  return [...refs];
}
