import { describe, expect, it } from 'vitest';
import type { Source } from '../../../projections/contracts/contract.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import type { Decoded } from '../decode/envelope.ts';
import { measureLags } from './source-freshness.ts';

const registry = { idOf: (source: Source) => (source === artistMomentum ? 1 : 2) };

const truncate = (source: Source, sourceTimeMs: number): Decoded => ({
  kind: 'truncate',
  source,
  version: '1',
  sourceTimeMs,
});

const read = (decoded: Decoded, timestamp: number | null) => ({
  record: { topic: 't', key: null, value: null, headers: {}, offset: 0, timestamp },
  decoded,
});

describe('the lags of a batch', () => {
  it('are the longest of each source', () => {
    const records = [
      read(truncate(artistMomentum, 1_000), 1_500),
      read(truncate(artistMomentum, 1_400), 1_450),
      read(truncate(performingEntity, 1_900), 1_990),
    ];
    expect(measureLags(records, 2_000, registry)).toEqual({
      readAtMs: 2_000,
      bySource: new Map([
        [1, { connectorMs: 500, kafkaMs: 550 }],
        [2, { connectorMs: 90, kafkaMs: 10 }],
      ]),
    });
  });

  it('are missing if a record has no timestamp, or is no change', () => {
    const records = [
      read(truncate(artistMomentum, 1_000), null),
      read(truncate(artistMomentum, 1_000), -1),
      read({ kind: 'ignored', why: 'a message' }, 1_000),
    ];
    expect(measureLags(records, 2_000, registry).bySource).toEqual(new Map());
  });

  it('are neither negative nor absurd, even if clocks differ', () => {
    const lags = (sourceTimeMs: number, timestamp: number, readAtMs: number) =>
      measureLags([read(truncate(artistMomentum, sourceTimeMs), timestamp)], readAtMs, registry).bySource.get(
        1,
      );
    const days30 = 30 * 86_400_000;
    expect(lags(5_000, 4_000, 3_000)).toEqual({ connectorMs: 0, kafkaMs: 0 });
    expect(lags(1_000, 8e15, 3_000)).toEqual({ connectorMs: 2_000, kafkaMs: 0 });
    expect(lags(1, 2e12, 2e12 + 5)).toEqual({ connectorMs: days30, kafkaMs: 5 });
    expect(lags(2, 1, 2e12)).toEqual({ connectorMs: 0, kafkaMs: days30 });
  });
});
