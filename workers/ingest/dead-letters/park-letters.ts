import type { ClientBase } from 'pg';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Place } from '../apply/position.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { type DeadLetter, keepDeadLetters } from './keep-dead-letters.ts';
import { supersedeLate, supersedeLetters, type Written } from './supersede.ts';

/** Who is named for what the stream itself settles. */
const INGEST = 'ingest';

/**
 * Keeps a batch's dead letters in the transaction of the batch, and settles those open that the batch, or something
 * before it, has overtaken.
 */
export async function parkLetters(
  client: ClientBase,
  letters: readonly DeadLetter[],
  records: readonly DecodedRecord[],
  place: Place,
  written: Written,
  registry: SourceRegistry,
): Promise<void> {
  const parked = await keepDeadLetters(client, letters, registry);
  await supersedeLetters(client, records, () => place, written, INGEST, registry);
  await supersedeLate(client, parked, INGEST);
}
