import { describe, expect, it } from 'vitest';
import type { Source } from '../../../projections/sources/contract.ts';
import { artistMomentum } from '../../../projections/sources/seen/artist-momentum.ts';
import { performingEntity } from '../../../projections/sources/seen/performing-entity.ts';
import type { Decoded } from '../decode/envelope.ts';
import { measureLags } from './stage-lags.ts';

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

  it('are none where a record has no time of its own, or nothing changed', () => {
    const records = [
      read(truncate(artistMomentum, 1_000), null),
      read(truncate(artistMomentum, 1_000), -1),
      read({ kind: 'ignored', why: 'a message' }, 1_000),
    ];
    expect(measureLags(records, 2_000, registry).bySource).toEqual(new Map());
  });

  it('are never negative, though clocks differ', () => {
    const records = [read(truncate(artistMomentum, 5_000), 4_000)];
    expect(measureLags(records, 3_000, registry).bySource.get(1)).toEqual({ connectorMs: 0, kafkaMs: 0 });
  });
});
