import type { ClientBase } from 'pg';
import { int2Array } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { isOfEpoch } from '../decode/version.ts';

/** What holds for a source until the transaction ends, once versions are locked. */
export interface Standing {
  readonly epoch: number;
  /** The version up to which its changes have lost to a truncate; null without one. */
  readonly floor: string | null;
}

/** Changes carry versions of an epoch that is over; they are to be stamped anew. */
export class EpochRaised extends Error {
  override readonly name = 'EpochRaised';
}

export async function readStandings(
  client: ClientBase,
  sources: Iterable<Source>,
  registry: SourceRegistry,
): Promise<ReadonlyMap<Source, Standing>> {
  const byId = new Map([...sources].map((source) => [registry.idOf(source), source]));
  const { rows } = await client.query<{ id: number; epoch: number; floor: string | null }>({
    name: 'source-standings',
    text: `select id, epoch, truncated_version as floor from ingest.source where id = any($1::int2[])`,
    values: [int2Array([...byId.keys()])],
  });
  const standings = new Map<Source, Standing>();
  for (const { id, epoch, floor } of rows) {
    const source = byId.get(id);
    if (source !== undefined) standings.set(source, { epoch, floor });
  }
  return standings;
}

/** @throws EpochRaised where a version is not of the epoch that its source is in */
export function requireEpochs(
  changes: Iterable<{ readonly source: Source; readonly version: string }>,
  standings: ReadonlyMap<Source, Standing>,
): void {
  for (const { source, version } of changes) {
    const standing = standings.get(source);
    if (standing !== undefined && !isOfEpoch(version, standing.epoch))
      throw new EpochRaised(`${source.table} is in epoch ${standing.epoch}`);
  }
}
