import type { ClientBase } from 'pg';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import type { Truncate } from '../decode/envelope.ts';
import type { Standing } from './standing.ts';

export interface Floors {
  /** The version up to which a source's changes have lost to a truncate; null without one. */
  floorOf(source: Source): string | null;
  /** The truncates that were newer than any before. */
  readonly truncated: readonly Truncate[];
  /** What the truncated rows were about. */
  readonly removed: readonly {
    readonly source: Source;
    readonly refs: readonly SubjectRef[];
  }[];
}

/** Empties truncated sources of what is older than the truncate, and tells the floors that stand then. */
export async function applyTruncates(
  client: ClientBase,
  truncates: readonly Truncate[],
  standings: ReadonlyMap<Source, Standing>,
  registry: SourceRegistry,
): Promise<Floors> {
  const removed: { source: Source; refs: SubjectRef[] }[] = [];
  const truncated: Truncate[] = [];
  const raised = new Map<Source, string>();
  const floorOf = (source: Source) => raised.get(source) ?? standings.get(source)?.floor ?? null;
  for (const truncate of truncates) {
    const { source, version } = truncate;
    const floor = floorOf(source);
    if (floor !== null && version <= floor) continue;
    raised.set(source, version);
    truncated.push(truncate);
    const id = registry.idOf(source);
    await client.query('update ingest.source set truncated_version = $2 where id = $1', [id, version]);
    removed.push({ source, refs: await removeOlder(client, source, id, version) });
  }
  return { floorOf, truncated, removed };
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
