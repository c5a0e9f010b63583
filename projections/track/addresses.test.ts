import { describe, expect, it } from 'vitest';
import { RANK, TITLE_TEXT_AT, titleStart, trackAddresses } from './addresses.ts';
import { lowered } from './lowered.ts';

const titleTexts = (title: string): string[] =>
  trackAddresses([{ credit: 'Somebody', title, support: 1 }], false)
    .filter(({ rank }) => rank === RANK.title)
    .map(({ address }) => address.slice(TITLE_TEXT_AT));

describe('the text of a title', () => {
  it.each([
    ['Windowlicker', 'windowlicker'],
    ['  Come   to\tDaddy ', 'come to daddy'],
    ['Jóga', 'jóga'],
    ['Jo\u0301ga', 'jóga'],
    ['ＳＵＧＡＲ', 'sugar'],
    ['\u200fفيروز', 'فيروز'],
    ['100% [Wham!] A-B', '100% [wham!] a-b'],
    ['a\0b\ud800', 'a b\ufffd'],
    ['!!!', '!!!'],
  ])('of %j is %j', (title, text) => {
    expect(lowered(title)).toBe(text);
    expect(titleTexts(title)).toEqual([text]);
  });

  it('stands behind what all spellings of the title share', () => {
    expect(titleStart("Don't Stop!")).toMatch(/^title:[\w-]{16}:$/);
    expect(titleStart("Don't Stop!")).toBe(titleStart('DONT STOP'));
    expect(titleStart('Jóga')).not.toBe(titleStart('Joga'));
    expect(titleStart('!!!')).not.toBe(titleStart('???'));
    for (const title of ['', ' ', '\u200e']) expect(titleStart(title)).toBeNull();
  });

  it('is cut to what fits an index, between two characters', () => {
    expect(titleTexts('a'.repeat(20_000))).toEqual(['a'.repeat(900)]);
    expect(titleTexts('愛'.repeat(300))).toEqual(['愛'.repeat(300)]);
    expect(titleTexts('𝄞'.repeat(300))).toEqual(['𝄞'.repeat(225)]);
  });
});

describe('the addresses of tracks', () => {
  const kindsOf = (credit: string, title: string, isFoundByTitle: boolean): string[] =>
    trackAddresses([{ credit, title, support: 3 }], isFoundByTitle).map(
      ({ address, rank, support }) => `${address.split(':', 1)[0]} ${rank} ${support}`,
    );

  it('are its title, and artist and title with and without the name of a version', () => {
    expect(kindsOf('Somebody', 'Xtal', false)).toEqual(['title 0 3', 'by 1 3']);
    expect(kindsOf('Somebody', 'Xtal (Original Mix)', false)).toEqual(['title 0 3', 'by 1 3', 'by 2 3']);
    expect(kindsOf('Somebody', 'Xtal', true)).toEqual(['title 0 3', 'by 1 3', 'only 1 3']);
    expect(kindsOf('Somebody feat. Another', 'Xtal', false)).toEqual(['title 0 3', 'by 1 3', 'by 2 3']);
    expect(kindsOf('Somebody feat. Another', 'Xtal (Mix)', true)).toEqual([
      'title 0 3',
      'by 1 3',
      'by 2 3',
      'only 1 3',
      'only 2 3',
    ]);
    expect(kindsOf('Various Artists', 'Xtal', true)).toEqual(['title 0 3', 'only 1 3']);
    expect(kindsOf('Various Artists', 'Xtal', false)).toEqual(['title 0 3']);
    expect(kindsOf('Somebody', ' ', true)).toEqual([]);
  });

  it('are there once each, with the greatest support', () => {
    const tracks = [2, 5, 1].map((support) => ({ credit: 'Somebody', title: 'Xtal', support }));
    expect(trackAddresses(tracks, false).map(({ support }) => support)).toEqual([5, 5]);
  });
});
