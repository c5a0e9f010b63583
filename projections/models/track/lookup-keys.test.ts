import { describe, expect, it } from 'vitest';
import { foldTitle } from './fold-title.ts';
import { TITLE_TEXT_OFFSET, TRACK_RANK, titlePrefix, trackLookupKeys } from './lookup-keys.ts';

const titleTexts = (title: string): string[] =>
  trackLookupKeys([{ credit: 'Somebody', title, support: 1 }], false)
    .filter(({ rank }) => rank === TRACK_RANK.title)
    .map(({ value }) => value.slice(TITLE_TEXT_OFFSET));

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
    expect(foldTitle(title)).toBe(text);
    expect(titleTexts(title)).toEqual([text]);
  });

  it('follows the common prefix of all spellings of the title', () => {
    expect(titlePrefix("Don't Stop!")).toMatch(/^title:[\w-]{16}:$/);
    expect(titlePrefix("Don't Stop!")).toBe(titlePrefix('DONT STOP'));
    expect(titlePrefix('Jóga')).not.toBe(titlePrefix('Joga'));
    expect(titlePrefix('!!!')).not.toBe(titlePrefix('???'));
    for (const title of ['', ' ', '\u200e']) expect(titlePrefix(title)).toBeNull();
  });

  it('is cut between two characters to fit an index', () => {
    expect(titleTexts('a'.repeat(20_000))).toEqual(['a'.repeat(900)]);
    expect(titleTexts('愛'.repeat(300))).toEqual(['愛'.repeat(300)]);
    expect(titleTexts('𝄞'.repeat(300))).toEqual(['𝄞'.repeat(225)]);
  });
});

describe('the lookup keys of tracks', () => {
  const kindsOf = (credit: string, title: string, isFoundByTitle: boolean): string[] =>
    trackLookupKeys([{ credit, title, support: 3 }], isFoundByTitle).map(
      ({ value, rank, support }) => `${value.split(':', 1)[0]} ${rank} ${support}`,
    );

  it('are the title, and artist and title with and without the version', () => {
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

  it('appear once each, with the greatest support', () => {
    const tracks = [2, 5, 1].map((support) => ({ credit: 'Somebody', title: 'Xtal', support }));
    expect(trackLookupKeys(tracks, false).map(({ support }) => support)).toEqual([5, 5]);
  });
});
