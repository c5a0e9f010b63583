import type { Pool } from 'pg';
import type { ObservedEvent, RefinedEvent } from '../schemas/search-events.ts';
import type { ParsedEvent } from './parse-event.ts';

/** What is kept of one search beside that it was observed. Nobody refines one more often within a token's life. */
export const MOST_REFINED = 100;

const STORE_OBSERVED = `
  insert into telemetry.search_event (search_event_id, kind, occurred_at, source)
  values ($1, 'observed', $2, $3)
  on conflict do nothing`;

/** What arrives at the very same time is counted without each other: the limit keeps a table small, it is no promise. */
const STORE_REFINED = `
  insert into telemetry.search_event (search_event_id, kind, occurred_at, changed_facets)
  select $1, 'refined', $2, $3
  where (select count(*) from telemetry.search_event where search_event_id = $1 and kind = 'refined') < ${MOST_REFINED}
  on conflict do nothing`;

/** Keeps that a result was served from a cache; once a search. */
export async function storeObserved(pool: Pool, { event, at }: ParsedEvent<ObservedEvent>): Promise<void> {
  const values = [event.search_event_id, new Date(at), event.source];
  await pool.query({ name: 'store-observed-event', text: STORE_OBSERVED, values });
}

/**
 * Keeps that filters were changed; once a search, timestamp and change, for a client that sends again sends the same.
 * Beyond `MOST_REFINED` of one search nothing is kept.
 */
export async function storeRefined(pool: Pool, { event, at }: ParsedEvent<RefinedEvent>): Promise<void> {
  const changed = JSON.stringify(event.changed_facets);
  const values = [event.search_event_id, new Date(at), changed];
  await pool.query({ name: 'store-refined-event', text: STORE_REFINED, values });
}
