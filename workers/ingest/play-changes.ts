import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Pool } from 'pg';
import type { Registry } from '../../projections/registry.ts';
import { type Place, readPosition } from './apply/position.ts';
import { parseChangeLine } from './decode/change-line.ts';
import { type DecodeContext, decodeRecord } from './decode/envelope.ts';
import { type DecodedRecord, ingestBatch } from './ingest-batch.ts';

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

/**
 * Applies a file of change events, one a line as `{"topic", "key", "value", "headers"}`, as if they came from Kafka.
 * The position is kept: a file that was played is passed over, one that broke off goes on.
 *
 * @returns how many events were applied or refused now
 */
export async function playChanges(path: string, options: PlayOptions): Promise<number> {
  const { pool, registry, prefix, pace, signal } = options;
  const context: DecodeContext = { prefix, epoch: registry.epochOf };
  const { size } = await stat(path);
  const place: Place = {
    group: 'changes',
    topic: `${basename(path)}#${size}`,
    partition: 0,
  };
  let position = await readPosition(pool, place);
  let played = 0;
  const batchSize = pace === undefined ? MAX_BATCH : Math.max(1, Math.round(pace / BEATS));
  for await (const batch of batchesOf(path, position ?? 0, batchSize, context)) {
    if (signal?.aborted) break;
    const to = (batch.at(-1)?.record.offset ?? 0) + 1;
    await ingestBatch(pool, registry, place, batch, position, to);
    position = to;
    played += batch.length;
    options.onProgress?.(batch.length);
    if (pace !== undefined) await pause((batch.length / pace) * 1000, undefined, { signal }).catch(() => {});
  }
  return played;
}

async function* batchesOf(
  path: string,
  from: number,
  size: number,
  context: DecodeContext,
): AsyncGenerator<DecodedRecord[]> {
  const file = createReadStream(path);
  const text = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  file.on('error', (error) => text.destroy(error));
  let batch: DecodedRecord[] = [];
  let offset = 0;
  for await (const line of createInterface({
    input: text,
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (offset >= from && line !== '') {
      const record = parseChangeLine(line, offset);
      batch.push({ record, decoded: decodeRecord(record, context) });
    }
    offset++;
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
