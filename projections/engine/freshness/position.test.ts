import { describe, expect, it } from 'vitest';
import { parsePositions } from './position.ts';

const one = (topic: string, partition: number, offset: number) => ({ topic, partition, offset });

describe('positions of the log', () => {
  it('are parsed, separated by commas', () => {
    expect(parsePositions('producers.seen.festival:0:17')).toEqual([one('producers.seen.festival', 0, 17)]);
    expect(parsePositions(' a-b_c.d:3:0 , x:2147483647:9007199254740991 ')).toEqual([
      one('a-b_c.d', 3, 0),
      one('x', 2_147_483_647, 9_007_199_254_740_991),
    ]);
    expect(parsePositions(Array.from({ length: 8 }, (_, at) => `t:0:${at}`).join())).toHaveLength(8);
  });

  it('are also those of the producer: of its log or of its transactions', () => {
    expect(parsePositions('seen.festival@0/16B3748, seen.festival@777,x:0:1')).toEqual([
      { table: 'seen.festival', lsn: '0/16B3748' },
      { table: 'seen.festival', transaction: 777 },
      one('x', 0, 1),
    ]);
    // pg_current_xact_id() counts epochs, in front of the 32 bits that the log has.
    expect(parsePositions(`seen.festival@${2n ** 33n + 5n}`)).toEqual([
      { table: 'seen.festival', transaction: 5 },
    ]);
    expect(parsePositions('seen.festivals@777')).toEqual({
      problem: 'names seen.festivals, which is no table of a source',
    });
  });

  it.each([
    '',
    ',',
    't:0:1,',
    't:0',
    't:0:',
    ':0:1',
    't:0:-1',
    't:0:1.5',
    't:0x1:1',
    't:2147483648:1',
    't:0:9007199254740992',
    't:0:99999999999999999',
    'a:b:0:1',
    'a/b:0:1',
    `${'t'.repeat(250)}:0:1`,
    't:0:1;t:0:2',
    't:0:1\u0000',
    'seen.festival@',
    'seen.festival@0',
    'seen.festival@16B3748/',
    'seen.festival@1/123456789',
    'seen.festival@-7',
    'festival@7',
  ])('are rejected when malformed: %j', (text) => {
    expect(parsePositions(text)).toEqual({
      problem: 'must be topic:partition:offset, TABLE@LSN or TABLE@TXID, several separated by commas',
    });
  });

  it('are rejected when there are too many', () => {
    const nine = Array.from({ length: 9 }, (_, at) => `t:0:${at}`).join();
    expect(parsePositions(nine)).toEqual({ problem: 'must name at most 8 positions' });
  });
});
