import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparable, trackAddress } from './addresses.ts';

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
  ])('%j and %j are not', (a, b) => {
    expect(comparable(a)).not.toBe(comparable(b));
  });

  it('are told by the same rule beside other letters', () => {
    const letter = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code));
    const hasLetter = fc.string({ unit: letter }).filter((text) => /[a-z0-9à-öø-ÿ]/i.test(text));
    fc.assert(fc.property(hasLetter, (text) => comparable(`${text} ж`) === `${comparable(text)}ж`));
  });

  it('say nothing where they hold nothing that can be seen', () => {
    for (const text of ['', ' \t', '\u200e\u2066', '\0']) expect(comparable(text)).toBe('');
  });
});

describe('the address of a track', () => {
  it('keeps artist and title apart', () => {
    expect(trackAddress('Aphex Twin', 'Xtal')).toBe('track:aphextwin\u001fxtal');
    expect(trackAddress('Aphex', 'Twin Xtal')).toBe('track:aphex\u001ftwinxtal');
  });

  it('is none where one of the two says nothing', () => {
    expect(trackAddress(' ', 'Xtal')).toBeNull();
    expect(trackAddress('Aphex Twin', '')).toBeNull();
  });

  it('is as long as fits, and hashed beyond, so that long ones stay apart', () => {
    const of = (length: number, end: string): string =>
      trackAddress('A', `${'ü'.repeat(length)}${end}`) ?? '';
    expect(of(123, '')).toBe(`track:a\u001f${'ü'.repeat(123)}`);
    expect(of(124, '')).toBe(`track:a\u001f${'ü'.repeat(124)}`);
    expect(of(124, 'b')).toMatch(/^track#[\w-]{43}$/);
    expect(of(9_000, 'a')).toMatch(/^track#[\w-]{43}$/);
    expect(of(9_000, 'a')).not.toBe(of(9_000, 'b'));
    expect(of(9_000, 'a')).toBe(of(9_000, ' A!'));
  });
});
