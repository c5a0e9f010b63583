import { expect, it } from 'vitest';
import { itemKey, tasteItem } from './item.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';

it('takes a name and its valid ids', () => {
  expect(tasteItem({ name: ' Mono\0 ', mbid: MBID.toUpperCase(), catalogArtistId: 7 })).toEqual({
    name: 'Mono',
    mbid: MBID,
    catalogArtistId: 7,
  });
  for (const mbid of ['', 'no uuid', null, 7, `${MBID}0`])
    expect(tasteItem({ name: 'Mono', mbid })?.mbid, String(mbid)).toBeNull();
  for (const catalogArtistId of [0, -1, 1.5, 2 ** 60, '7', null])
    expect(tasteItem({ name: 'Mono', catalogArtistId })?.catalogArtistId, String(catalogArtistId)).toBeNull();
});

it.each([
  ['a blank name', { name: ' \u200e ' }],
  ['a name that was no text', { name: 'M\ufffdno' }],
  ['half a character', { name: 'M\ud83d' }],
  ['a name without end', { name: 'o'.repeat(501) }],
  ['various artists of the catalogue', { name: 'Various', catalogArtistId: 194 }],
  ['various artists by their MBID', { name: 'VA', mbid: '89ad4ac3-39f7-470e-963a-56509c546377' }],
  ['various artists by name', { name: 'various  ARTISTS' }],
  ['an unknown artist', { name: '[unknown]' }],
])('skips %s', (_, given) => {
  expect(tasteItem(given)).toBeNull();
});

it('is identified by its surest id, otherwise by its normalised name', () => {
  const key = (name: string, mbid: string | null, catalogArtistId: number | null) =>
    itemKey({ name, mbid, catalogArtistId });
  expect(key('Mono', MBID, 7)).toBe('catalog:7');
  expect(key('Mono', MBID, null)).toBe(`mbid:${MBID}`);
  expect(key(' MONO ', null, null)).toBe('name:mono');
  expect(key('o'.repeat(400), null, null)).toMatch(/^name#[\w-]{43}$/);
});
