import type { ClientBase } from 'pg';
import { int2Array, textArray } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Settled } from './mirror.ts';

/** Brings the links of rows to what their newest states say. */
export async function replaceLinks(
  client: ClientBase,
  changed: readonly Settled[],
  registry: SourceRegistry,
): Promise<void> {
  if (changed.length === 0) return;
  await client.query({
    name: 'remove-links',
    text: `delete from ingest.link using unnest($1::int2[], $2::text[]) changed (source, key)
           where link.source = changed.source and link.key = changed.key`,
    values: [
      int2Array(changed.map(({ source }) => registry.idOf(source))),
      textArray(changed.map(({ key }) => key)),
    ],
  });
  const links = changed.flatMap(({ source, key, state }) =>
    state.links.map((subject) => ({
      source: registry.idOf(source),
      subject,
      key,
    })),
  );
  await client.query({
    name: 'insert-links',
    text: `insert into ingest.link (source, subject, key)
           select * from unnest($1::int2[], $2::text[], $3::text[]) on conflict do nothing`,
    values: [
      int2Array(links.map(({ source }) => source)),
      textArray(links.map(({ subject }) => subject)),
      textArray(links.map(({ key }) => key)),
    ],
  });
}
