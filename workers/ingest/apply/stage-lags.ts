import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Decoded, IncomingRecord } from '../decode/envelope.ts';

/** How long the changes of a batch have been on their way, in milliseconds; the longest of each source counts. */
export interface StageLags {
  /** When the batch was read, in milliseconds since 1970. */
  readonly readAtMs: number;
  readonly bySource: ReadonlyMap<number, LogLags>;
}

interface LogLags {
  /** From the producer's commit to the log. */
  readonly connectorMs: number;
  /** From the log to the reader. */
  readonly kafkaMs: number;
}

/** Measures the changes of a batch. Records without a time of their own (null, or -1 in Kafka) say nothing. */
export function measureLags(
  records: readonly { readonly record: IncomingRecord; readonly decoded: Decoded }[],
  readAtMs: number,
  registry: SourceRegistry,
): StageLags {
  const bySource = new Map<number, LogLags>();
  for (const { record, decoded } of records) {
    if (record.timestamp === null || record.timestamp < 0 || !('sourceTimeMs' in decoded)) continue;
    const id = registry.idOf(decoded.source);
    const longest = bySource.get(id);
    // Clocks that differ may make a lag negative, which none is.
    bySource.set(id, {
      connectorMs: Math.max(longest?.connectorMs ?? 0, record.timestamp - decoded.sourceTimeMs),
      kafkaMs: Math.max(longest?.kafkaMs ?? 0, readAtMs - record.timestamp),
    });
  }
  return { readAtMs, bySource };
}
