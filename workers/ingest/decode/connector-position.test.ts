import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';
import { connectorPosition, isSupported } from './connector-position.ts';
import { changeVersion } from './version.ts';

const TIME = 1_788_220_879_931;
const placed = { isRead: false, sourceTimeMs: TIME };
const binlog = (file: unknown, pos: unknown, row: unknown = 0, more = placed) =>
  connectorPosition({ connector: 'mysql', file, pos, row }, more)?.digits ?? null;

describe('a position of MySQL or MariaDB', () => {
  it('is the number of the file and the position in it, then the row of the event', () => {
    expect(binlog('mysql-bin.000026', 484, 3)).toBe(`0000001a000001e4${'3'.padStart(16, '0')}`);
    expect(binlog('host.example-bin.1000000', 4)).toBe(`000f424000000004${'0'.repeat(16)}`);
  });

  it('orders as (file, position, row)', () => {
    const few = fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 2 ** 31 - 2 }));
    const place = fc.tuple(few, few, few);
    const versionOf = ([file, pos, row]: readonly [number, number, number]) => {
      const other = connectorPosition(
        { connector: 'mariadb', file: `b.${String(file + 1).padStart(6, '0')}`, pos: pos + 4, row },
        placed,
      );
      const position = { sequence: null, lsn: undefined, other, sourceTimeMs: TIME, offset: 0 };
      return changeVersion(0, position, false) ?? '';
    };
    fc.assert(
      fc.property(place, place, (a, b) => {
        const differing = a.findIndex((part, index) => part !== b[index]);
        const order = differing === -1 ? 0 : Math.sign((a[differing] ?? 0) - (b[differing] ?? 0));
        expect(Math.sign(compareVersions(versionOf(a), versionOf(b)))).toBe(order);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of a row of a snapshot is recognized without its partition', () => {
    expect(binlog('b.000001', 4, 0, { ...placed, isRead: true })).toBe('0000000100000004'.repeat(2));
  });

  it.each([
    [undefined, 4, 0],
    ['b', 4, 0],
    ['b.000000', 4, 0],
    ['b.99999999999', 4, 0],
    ['b.9999999999', 4, 0],
    [7, 4, 0],
    ['b.000001', undefined, 0],
    ['b.000001', 0, 0],
    ['b.000001', -4, 0],
    ['b.000001', 4.5, 0],
    ['b.000001', '4', 0],
    ['b.000001', 2 ** 32, 0],
    ['b.000001', 4, -1],
  ])('is none in file %j, position %j, row %j', (file, pos, row) =>
    expect(binlog(file, pos, row)).toBeNull(),
  );
});

describe('a connector', () => {
  it.each(['postgresql', 'mysql', 'mariadb', 'mongodb', undefined, null])('is supported: %s', (name) =>
    expect(isSupported(name)).toBe(true),
  );

  it.each(['sqlserver', 'oracle', 'db2', 'informix', 'cassandra', 'vitess', 'spanner', 'constructor', 7])(
    'is not supported: %s',
    (name) => expect(isSupported(name)).toBe(false),
  );

  it('of PostgreSQL has no other position', () =>
    expect(connectorPosition({ connector: 'postgresql', lsn: 7 }, placed)).toBeUndefined());
});
