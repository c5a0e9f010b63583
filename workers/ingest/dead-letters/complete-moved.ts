import type { ClientBase } from 'pg';
import { int2Array, textArray } from '../../../db/arrays.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import type { RowChange } from '../apply/fold.ts';
import { newKeysOf } from '../apply/moved-rows.ts';
import { INGEST } from './dead-letter.ts';
import { type ReplayRules, replayBatch } from './replay-batch.ts';

/**
 * Replays the dead letters that were read before the deletes of their old keys, over another partition, and so lacked
 * values. The transaction must have kept the rows of these deletes.
 */
export async function completeMoved(
  client: ClientBase,
  registry: Registry,
  changes: readonly RowChange[],
  { schemas }: Pick<ReplayRules, 'schemas'>,
): Promise<void> {
  const keys = newKeysOf(changes);
  if (keys.length === 0) return;
  const { rows } = await client.query<{ id: number }>({
    name: 'incomplete-dead-letters',
    text: `select id::float8 as id from ingest.dead_letter
             join unnest($1::int2[], $2::text[]) wanted (source, key) using (source, key)
           where state = 'open' and class = 'incomplete' order by version, id`,
    values: [
      int2Array(keys.map(({ source }) => registry.idOf(source))),
      textArray(keys.map(({ key }) => key)),
    ],
  });
  if (rows.length === 0) return;
  await replayBatch(
    client,
    registry,
    rows.map(({ id }) => id),
    { actor: INGEST, why: 'the row of the old key has come', target: 'rows whose key changed', schemas },
  );
}
