import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparable, trackKey } from './lookup-keys.ts';

describe('titles and credits', () => {
  it.each([
    ["Heaven's In New York", 'HEAVENS IN NEW YORK'],
    ['Remember Me Lover (Album Version)', 'remember me lover album version'],
    ['A.D.H.D', 'ADHD'],
    ["Rock 'n' Roll", 'Rock’n’Roll'],
    ['AC/DC', 'ac dc'],
    ['Pe\u0301pe\u0301', 'PÉPÉ'],
    ['ＳＵＧＡＲ', 'sugar'],
    ['\u200fفيروز', 'فيروز'],
    ['光田康典 / ACE(工藤ともり、CHiCO)', '光田康典 ACE 工藤ともり CHiCO'],
    ['!!!', '! ! !'],
    ['I ❤\ufe0f You', 'I You'],
    ['❤\ufe0f', '❤\ufe0f'],
  ])('%j and %j are the same', (a, b) => {
    expect(comparable(a)).toBe(comparable(b));
  });

  it.each([
    ['Björk', 'Bjork'],
    ['P!nk', 'Pink'],
    ['!!!', '???'],
    ['+/-', '+'],
    ['❤\ufe0f', '★\ufe0f'],
    ['Roygbiv', 'Roygbiv 2'],
    ['الله', 'اله'],
  ])('%j and %j are different', (a, b) => {
    expect(comparable(a)).not.toBe(comparable(b));
  });

  it('follow the same rule next to other letters', () => {
    const letter = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code));
    const hasLetter = fc.string({ unit: letter }).filter((text) => /[a-z0-9à-öø-ÿ]/i.test(text));
    fc.assert(fc.property(hasLetter, (text) => comparable(`${text} ж`) === `${comparable(text)}ж`));
  });

  it('are null without visible characters', () => {
    for (const text of ['', ' \t', '\u200e\u2066', '\0']) expect(comparable(text)).toBe('');
  });
});

describe('the lookup key of a track', () => {
  it('separates artist and title', () => {
    expect(trackKey('Aphex Twin', 'Xtal')).toBe('track:aphextwin\u001fxtal');
    expect(trackKey('Aphex', 'Twin Xtal')).toBe('track:aphex\u001ftwinxtal');
  });

  it('is null if artist or title is blank', () => {
    expect(trackKey(' ', 'Xtal')).toBeNull();
    expect(trackKey('Aphex Twin', '')).toBeNull();
  });

  it('is hashed beyond the maximum length, so that long ones stay distinct', () => {
    const of = (length: number, end: string): string => trackKey('A', `${'ü'.repeat(length)}${end}`) ?? '';
    expect(of(123, '')).toBe(`track:a\u001f${'ü'.repeat(123)}`);
    expect(of(124, '')).toBe(`track:a\u001f${'ü'.repeat(124)}`);
    expect(of(124, 'b')).toMatch(/^track#[\w-]{43}$/);
    expect(of(9_000, 'a')).toMatch(/^track#[\w-]{43}$/);
    expect(of(9_000, 'a')).not.toBe(of(9_000, 'b'));
    expect(of(9_000, 'a')).toBe(of(9_000, ' A!'));
  });
});
