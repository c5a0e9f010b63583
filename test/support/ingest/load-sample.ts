import type { Pool } from 'pg';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { findSnapshots, loadSnapshot } from '../../../workers/ingest/snapshots/load-snapshot.ts';
import { SAMPLE } from './mirror-state.ts';

/** Loads tables of the bundled sample; one that the sample does not hold stays silent. */
export async function loadSample(pool: Pool, registry: Registry, sources: readonly Source[]): Promise<void> {
  for (const file of await findSnapshots(SAMPLE)) {
    if (sources.includes(file.source)) await loadSnapshot(pool, registry, file, { timeMs: Date.now() });
  }
}

/** A common table expression of the rows of a source in the mirror, each as JSON in `row`. */
export const rowsIn = (name: string, source: Source): string => `${name} as (
  select subject, row::json as row from ingest.mirror
  where row is not null and source = (select id from ingest.source where name = '${source.table}'))`;
