import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeVersion,
  isOfEpoch,
  removalVersion,
  snapshotVersion,
  supersededBy,
  withEpoch,
} from './version.ts';

const TIME = 1_788_220_879_931;

function version(
  place: { sequence?: unknown; lsn?: unknown; time?: number; offset?: number },
  isDelete = false,
  epoch = 0,
) {
  const { sequence = null, lsn = null, time = TIME, offset = 0 } = place;
  return changeVersion(epoch, { sequence, lsn, sourceTimeMs: time, offset }, isDelete) ?? '';
}

const sequence = (commit: bigint | number | null, lsn: bigint | number | null): string =>
  JSON.stringify([commit, lsn].map((position) => (position === null ? null : String(position))));

describe('changeVersion', () => {
  it('is epoch, commit, position and rank, in hex of fixed width', () => {
    expect(
      version({ sequence: sequence(97_500_000_000, 97_500_000_602), lsn: 97_500_000_602 }, false, 3),
    ).toBe('00000003' + '00000016b373ef00' + '00000016b373f15a' + '1');
  });

  it('orders as (epoch, commit, position, delete before write)', () => {
    const position = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 3n }));
    const place = fc.tuple(fc.nat({ max: 2 }), position, position, fc.boolean());
    fc.assert(
      fc.property(place, place, (one, other) => {
        const [a, b] = [one, other].map(([epoch, commit, lsn, isWrite]) => ({
          text: version({ sequence: sequence(commit, lsn) }, !isWrite, epoch),
          parts: [BigInt(epoch), commit, lsn, isWrite ? 1n : 0n],
        }));
        const differing = a?.parts.findIndex((part, index) => part !== b?.parts[index]) ?? -1;
        const expected =
          differing === -1 ? 0 : (a?.parts[differing] ?? 0n) < (b?.parts[differing] ?? 0n) ? -1 : 1;
        expect(Math.sign(Buffer.compare(Buffer.from(a?.text ?? ''), Buffer.from(b?.text ?? '')))).toBe(
          expected,
        );
        expect(a?.text).toMatch(/^[0-9a-f]{40}[01]$/);
      }),
      { numRuns: 1_000 },
    );
  });

  it('uses the position of the change if the commit has none', () => {
    expect(version({ sequence: sequence(null, 500) })).toBe(version({ sequence: sequence(500, 500) }));
    expect(version({ lsn: 500 })).toBe(version({ sequence: sequence(500, 500) }));
    expect(version({ sequence: sequence(400, null), lsn: 500 })).toBe(
      version({ sequence: sequence(400, 500) }),
    );
    expect(version({ lsn: 2n ** 63n })).toBe(version({ sequence: sequence(2n ** 63n, 2n ** 63n) }));
  });

  it('orders by time, then by offset, without log positions', () => {
    const places = [
      { time: TIME, offset: 9 },
      { time: TIME, offset: 10 },
      { time: TIME + 1, offset: 0 },
    ];
    const versions = places.map((place) => version(place));
    expect(versions).toEqual([...versions].sort());
    expect(new Set(versions).size).toBe(3);
    expect(version({ sequence: '[null,null]', offset: 9 })).toBe(versions[0]);
  });

  it('reads a sequence with any spacing', () => {
    expect(version({ sequence: '[ "400" , "500" ]' })).toBe(version({ sequence: sequence(400, 500) }));
  });

  it.each([
    ['["1"]', null],
    ['', null],
    ['["a","b"]', null],
    ['["1","2"', null],
    [12, null],
    [{}, null],
    ['["1","18446744073709551616"]', null],
    [null, -1],
    [null, 1.5],
    [null, 'x'],
    [null, {}],
  ])('gives none for sequence %j and position %j', (sequence, lsn) => {
    expect(changeVersion(0, { sequence, lsn, sourceTimeMs: TIME, offset: 0 }, false)).toBeNull();
  });
});

describe('snapshotVersion', () => {
  it('loses to streamed changes and beats older snapshots', () => {
    const versions = [
      snapshotVersion(0, TIME),
      snapshotVersion(0, TIME + 1),
      version({ sequence: sequence(1, 1) }, true),
    ];
    expect(versions).toEqual([...versions].sort());
    expect(version({ time: 1, offset: 0 }) > snapshotVersion(0, TIME)).toBe(true);
    expect(snapshotVersion(1, 0) > version({ sequence: sequence(2n ** 64n - 1n, 0) })).toBe(true);
  });
});

describe('removalVersion', () => {
  it('is newer than snapshots of its time and before, and older than newer ones and streamed changes', () => {
    const versions = [
      snapshotVersion(0, TIME),
      removalVersion(0, TIME),
      snapshotVersion(0, TIME + 1),
      version({ time: 1, offset: 0 }, true),
    ];
    expect(new Set(versions).size).toBe(4);
    expect(versions).toEqual([...versions].sort());
  });
});

describe('an epoch', () => {
  it('can be read from a version, and replaced in it', () => {
    const place = { sequence: sequence(400, 500) };
    expect(withEpoch(version(place, true, 3), 0x1234)).toBe(version(place, true, 0x1234));
    expect(isOfEpoch(version(place, false, 3), 3)).toBe(true);
    expect(isOfEpoch(version(place, false, 3), 0x30)).toBe(false);
  });
});

describe('supersededBy', () => {
  it('is newer than the change, and older than the next', () => {
    const [change, removal] = [version({ sequence: sequence(400, 500) }), removalVersion(0, TIME)];
    expect(supersededBy(change, removal) > change).toBe(true);
    expect(supersededBy(change, removal) < version({ sequence: sequence(400, 501) }, true)).toBe(true);
  });
});
