import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Registry } from '../../projections/registry.ts';
import { type Place, readPosition } from './apply/position.ts';
import { parseChangeLine } from './decode/change-line.ts';
import { type DecodeContext, decodeRecord } from './decode/envelope.ts';
import { decodeLines } from './decode-lines.ts';
import { ingestBatch } from './ingest-batch.ts';

/** Batches a second, so that a slow pace still looks even. */
const BEATS = 10;
/** Records in one transaction when no pace is asked for. */
const MAX_BATCH = 2_000;

export interface PlayOptions {
  readonly pool: Pool;
  readonly registry: Registry;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefix: string;
  /** Events a second; without one, as fast as they can be applied. */
  readonly pace?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (events: number) => void;
}

/** What was done now. */
export interface Played {
  readonly events: number;
  /** Of these, how many broke their contract. */
  readonly deadLetters: number;
}

/**
 * Applies a file of change events, one a line as `{"topic", "key", "value", "headers"}`, as if they came from Kafka.
 * The position is kept: a file that was played is passed over, one that broke off goes on.
 *
 */
export async function playChanges(path: string, options: PlayOptions): Promise<Played> {
  const { pool, registry, prefix, pace, signal } = options;
  const context: DecodeContext = { prefix, epoch: registry.epochOf };
  const { size, mtimeMs } = await stat(path);
  const place: Place = {
    group: 'changes',
    topic: `${basename(path)}#${size}@${Math.floor(mtimeMs)}`,
    partition: 0,
  };
  let position = await readPosition(pool, place);
  const played = { events: 0, deadLetters: 0 };
  const batchSize = pace === undefined ? MAX_BATCH : Math.max(1, Math.round(pace / BEATS));
  const batches = decodeLines(path, position ?? 0, batchSize, (line, offset) => {
    const record = parseChangeLine(line, offset);
    return { record, decoded: decodeRecord(record, context) };
  });
  for await (const batch of batches) {
    if (signal?.aborted) break;
    const to = (batch.at(-1)?.record.offset ?? 0) + 1;
    const { deadLetters } = await ingestBatch(pool, registry, place, batch, position, to);
    position = to;
    played.events += batch.length;
    played.deadLetters += deadLetters;
    options.onProgress?.(batch.length);
    if (pace !== undefined) await pause((batch.length / pace) * 1000, undefined, { signal }).catch(() => {});
  }
  return played;
}
