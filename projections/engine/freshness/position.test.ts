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
  ])('are rejected when malformed: %j', (text) => {
    expect(parsePositions(text)).toEqual({
      problem: 'must be topic:partition:offset, several separated by commas',
    });
  });

  it('are rejected when there are too many', () => {
    const nine = Array.from({ length: 9 }, (_, at) => `t:0:${at}`).join();
    expect(parsePositions(nine)).toEqual({ problem: 'must name at most 8 positions' });
  });
});
