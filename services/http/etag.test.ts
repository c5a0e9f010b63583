import { expect, it } from 'vitest';
import { matchesEtag, weakEtag } from './etag.ts';

const TAG = weakEtag('0a1b', 'c2');

it('joins its parts in order to a weak ETag', () => {
  expect(TAG).toBe('W/"0a1b-c2"');
});

it.each([TAG, '"0a1b-c2"', '*', ' * ', `"x", ${TAG}`, `${TAG},"x"`, `W/"a,b" , ${TAG}`, `"", ${TAG}`])(
  'matches %s',
  (header) => {
    expect(matchesEtag(header, TAG)).toBe(true);
  },
);

it.each([undefined, '', '"0a1b"', '0a1b-c2', 'W/"0A1B-C2"', '"x0a1b-c2"', '"*"', '"a*", "b"', 'W/'])(
  'does not match %s',
  (header) => {
    expect(matchesEtag(header, TAG)).toBe(false);
  },
);
