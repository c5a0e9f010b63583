import { describe, expect, it } from 'vitest';
import { differences, generalPath } from './differences.ts';

describe('differences', () => {
  it.each([
    [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ path: '$.a', before: 1, after: 2 }]],
    [{ a: 1 }, {}, [{ path: '$.a', before: 1, after: undefined }]],
    [{}, { a: null }, [{ path: '$.a', before: undefined, after: null }]],
    [{ a: { b: 1 } }, { a: null }, [{ path: '$.a', before: { b: 1 }, after: null }]],
    [{ a: {} }, { a: [] }, [{ path: '$.a', before: {}, after: [] }]],
    [
      { list: [{ n: 'x' }, { n: 'y' }] },
      { list: [{ n: 'x' }, { n: 'z' }] },
      [{ path: '$.list[1].n', before: 'y', after: 'z' }],
    ],
    [{ list: [1, 2] }, { list: [1] }, [{ path: '$.list', before: [1, 2], after: [1] }]],
    [{ 'odd name': 1 }, { 'odd name': 2 }, [{ path: '$["odd name"]', before: 1, after: 2 }]],
    ['whole', 'other', [{ path: '$', before: 'whole', after: 'other' }]],
  ])('of %j and %j', (before, after, expected) => {
    expect(differences(before, after)).toEqual(expected);
  });
});

it('generalPath drops list indexes', () => {
  expect(generalPath('$.a[0].b[12].c')).toBe('$.a[*].b[*].c');
});
