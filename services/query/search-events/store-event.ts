import type { Pool } from 'pg';
import type { ParsedEvent } from './parse-event.ts';
import type { ObservedEvent, RefinedEvent } from './schema.ts';

/** Maximum stored refinements of one search; no user makes more within the life of a token. */
export const MOST_REFINED = 100;

const STORE_OBSERVED = `
  insert into telemetry.search_event (search_event_id, kind, occurred_at, source)
  values ($1, 'observed', $2, $3)
  on conflict do nothing`;

/** Concurrent events do not count each other: the limit only keeps the table small. */
const STORE_REFINED = `
  insert into telemetry.search_event (search_event_id, kind, occurred_at, changed_facets)
  select $1, 'refined', $2, $3
  where (select count(*) from telemetry.search_event where search_event_id = $1 and kind = 'refined') < ${MOST_REFINED}
  on conflict do nothing`;

/** Stores that a result was served from a cache, once per search. */
export async function storeObserved(pool: Pool, { event, at }: ParsedEvent<ObservedEvent>): Promise<void> {
  const values = [event.search_event_id, new Date(at), event.source];
  await pool.query({ name: 'store-observed-event', text: STORE_OBSERVED, values });
}

/**
 * Stores a change of filters, once per search, timestamp and change, so that a repeated beacon changes nothing.
 * Stores at most `MOST_REFINED` changes of one search.
 */
export async function storeRefined(pool: Pool, { event, at }: ParsedEvent<RefinedEvent>): Promise<void> {
  const changed = JSON.stringify(event.changed_facets);
  const values = [event.search_event_id, new Date(at), changed];
  await pool.query({ name: 'store-refined-event', text: STORE_REFINED, values });
}
