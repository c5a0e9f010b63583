import type { ClientBase } from 'pg';
import { int2Array, int4Array, int8Array, textArray } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';

/** A record that broke its contract, with all that is needed to judge it and to send it again. */
export interface DeadLetter {
  /** Null where the topic names no source. */
  readonly source: Source | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string | null;
  readonly payload: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly violations: readonly { readonly field: string; readonly reason: string }[];
}

/** PostgreSQL's text cannot hold U+0000, which a broken payload may well contain. */
const storable = (text: string | null): string | null =>
  text?.replaceAll('\u0000', '\ufffd').toWellFormed() ?? null;

/** Keeps records that could not be applied. A record read again is kept once. */
export async function keepDeadLetters(
  client: ClientBase,
  letters: readonly DeadLetter[],
  registry: SourceRegistry,
): Promise<void> {
  if (letters.length === 0) return;
  await client.query({
    name: 'keep-dead-letters',
    text: `insert into ingest.dead_letter
             (source, topic, partition, record_offset, key, payload, headers, violations)
           select source, topic, partition, record_offset, key, payload, headers::jsonb, violations::jsonb
           from unnest($1::int2[], $2::text[], $3::int4[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[])
             as letter (source, topic, partition, record_offset, key, payload, headers, violations)
           on conflict (topic, partition, record_offset) do nothing`,
    values: [
      int2Array(letters.map(({ source }) => (source === null ? null : registry.idOf(source)))),
      textArray(letters.map(({ topic }) => topic)),
      int4Array(letters.map(({ partition }) => partition)),
      int8Array(letters.map(({ offset }) => offset)),
      textArray(letters.map(({ key }) => storable(key))),
      textArray(letters.map(({ payload }) => storable(payload))),
      textArray(
        letters.map(({ headers }) => storable(JSON.stringify(headers).replaceAll('\\u0000', '\\ufffd'))),
      ),
      textArray(letters.map(({ violations }) => storable(JSON.stringify(violations)))),
    ],
  });
}
