import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../apply/ingest-batch.ts';
import { adoptPosition, readPosition, type TopicPartition } from '../apply/position.ts';
import { parseChangeLine } from '../decode/change-line.ts';
import { type DecodeContext, decodeRecord } from '../decode/envelope.ts';
import { decodeLines, type Line } from './decode-lines.ts';
import { fileDigest } from './file-blocks.ts';

/** Batches a second, so that a slow pace stays even. */
const BATCHES_A_SECOND = 10;
/** Records in one transaction without a pace. */
const MAX_BATCH = 2_000;

export interface ReplayFileOptions {
  readonly pool: Pool;
  readonly registry: Registry;
  /** Topics are `<prefix>.<schema>.<table>`. */
  readonly prefix: string;
  /** Events a second; default: as fast as possible. */
  readonly pace?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (events: number) => void;
}

export interface ReplayResult {
  readonly events: number;
  /** Of these, those that broke their contract. */
  readonly deadLetters: number;
}

/**
 * Applies a file of change events, one a line as `{"topic", "key", "value", "headers"}`, as if they came from Kafka. The
 * position is stored: a replayed file is skipped, an interrupted one continues.
 */
export async function replayChangeFile(path: string, options: ReplayFileOptions): Promise<ReplayResult> {
  const { pool, registry, prefix, pace, signal } = options;
  const context: DecodeContext = { prefix, epoch: registry.epochOf };
  const { size, mtimeMs } = await stat(path);
  const topic = `changes#${await fileDigest(path)}`;
  const topicPartition: TopicPartition = { group: 'changes', topic, partition: 0 };
  await adoptPosition(pool, topicPartition, `${basename(path)}#${size}@${Math.floor(mtimeMs)}`);
  let position = await readPosition(pool, topicPartition);
  const result = { events: 0, deadLetters: 0 };
  const batchSize = pace === undefined ? MAX_BATCH : Math.max(1, Math.round(pace / BATCHES_A_SECOND));
  const decode = (line: Line, offset: number) => {
    const record = { ...parseChangeLine(line, offset), readFrom: topicPartition };
    return { record, decoded: decodeRecord(record, context) };
  };
  const batches = decodeLines(path, decode, { from: position ?? 0, size: batchSize });
  for await (const batch of batches) {
    if (signal?.aborted) break;
    const to = (batch.at(-1)?.record.offset ?? 0) + 1;
    const { deadLetters } = await ingestBatch(pool, registry, {
      topicPartition,
      records: batch,
      from: position,
      to,
    });
    position = to;
    result.events += batch.length;
    result.deadLetters += deadLetters;
    options.onProgress?.(batch.length);
    if (pace !== undefined) await pause((batch.length / pace) * 1000, undefined, { signal }).catch(() => {});
  }
  return result;
}
