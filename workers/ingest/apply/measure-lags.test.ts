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

const read = (decoded: Decoded, timestamp: number | null, topic = 'eu.seen.artist_momentum') => ({
  record: { topic, key: null, value: null, headers: {}, offset: 0, timestamp },
  decoded,
});

describe('the lags of a batch', () => {
  it('are the longest of each source', () => {
    const records = [
      read(truncate(artistMomentum, 1_000), 1_500),
      read(truncate(artistMomentum, 1_400), 1_450),
      read(truncate(performingEntity, 1_900), 1_990, 'us.seen.performing_entity'),
    ];
    expect(measureLags(records, 2_000, registry)).toEqual({
      readAtMs: 2_000,
      bySource: new Map([
        [1, { connectorMs: 500, kafkaMs: 550, connector: 'eu' }],
        [2, { connectorMs: 90, kafkaMs: 10, connector: 'us' }],
      ]),
    });
  });

  it('come with the connector that wrote the last change, whatever its topic', () => {
    const byOther = { ...truncate(artistMomentum, 1_000), connector: 'other' };
    const connector = (...records: ReturnType<typeof read>[]) =>
      measureLags(records, 2_000, registry).bySource.get(1)?.connector;
    expect(connector(read(truncate(artistMomentum, 1_000), 1_500), read(byOther, 1_500))).toBe('other');
    expect(connector(read(byOther, 1_500), read(truncate(artistMomentum, 1_000), 1_500))).toBe('eu');
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
    expect(lags(5_000, 4_000, 3_000)).toMatchObject({ connectorMs: 0, kafkaMs: 0 });
    expect(lags(1_000, 8e15, 3_000)).toMatchObject({ connectorMs: 2_000, kafkaMs: 0 });
    expect(lags(1, 2e12, 2e12 + 5)).toMatchObject({ connectorMs: days30, kafkaMs: 5 });
    expect(lags(2, 1, 2e12)).toMatchObject({ connectorMs: 0, kafkaMs: days30 });
  });
});
