import type { ClientBase, Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import type { Source } from '../contracts/contract.ts';
import { sources } from '../contracts/index.ts';
import type { SourceRegistry } from './projection.ts';

export interface Registry extends SourceRegistry {
  /** As last read. An operator raises it when a producer's log positions start again. */
  readonly epochOf: (source: Source) => number;
  /** Reads the epochs again. */
  readEpochs(db: Pool | ClientBase): Promise<void>;
}

/** Registers every declared source in the database and returns their ids. Several processes may do so concurrently. */
export async function registerSources(db: Pool | ClientBase): Promise<Registry> {
  const names = sources.map((source) => source.table).sort();
  await db.query(
    `insert into ingest.source (name)
     select name from unnest($1::text[]) as declared (name)
     where not exists (select from ingest.source known where known.name = declared.name)
     order by name
     on conflict (name) do nothing`,
    [textArray(names)],
  );
  const rows = await readSources(db);
  const ids = new Map(rows.map((row) => [row.name, row.id]));
  const epochs = new Map(rows.map((row) => [row.name, row.epoch]));
  return {
    idOf(source) {
      const id = ids.get(source.table);
      if (id === undefined) throw new Error(`source ${source.table} is not registered`);
      return id;
    },
    epochOf: (source) => epochs.get(source.table) ?? 0,
    async readEpochs(db) {
      for (const { name, epoch } of await readSources(db)) epochs.set(name, epoch);
    },
  };
}

async function readSources(db: Pool | ClientBase): Promise<{ id: number; name: string; epoch: number }[]> {
  const { rows } = await db.query<{ id: number; name: string; epoch: number }>(
    'select id, name, epoch from ingest.source',
  );
  return rows;
}
