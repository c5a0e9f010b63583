import { describe, expect, it } from 'vitest';
import { artistKeys, matchKey } from './match-key.ts';

describe('the match key', () => {
  it.each([
    ['Windowlicker', 'windowlicker'],
    ["Heaven's In New York", 'heavensinnewyork'],
    ['A.D.H.D', 'adhd'],
    ['AC/DC', 'acdc'],
    ['P!nk', 'pnk'],
    ['ＳＵＧＡＲ', 'sugar'],
    ['Björk', 'bjrk'],
    ['Bjo\u0308rk', 'bjrk'],
    ['Mötley Crüe', 'mtleycre'],
    ['Sigur Rós – Ágætis byrjun', 'sigurrsgætisbyrjun'],
    ['Røyksopp', 'røyksopp'],
    ['Straße', 'straße'],
    ['İstanbul', 'stanbul'],
    ['Tiếng Việt', 'tingvit'],
    ['Ленинград йод', 'ленинградйод'],
    ['かぐや姫がいた', 'かぐや姫がいた'],
    ['한국 노래', '한국노래'],
    ['किताब', 'किताब'],
    ['\u200fفيروز', 'فيروز'],
    ['I ❤\ufe0f You', 'iyou'],
    ['ℹ\ufe0f', 'i'],
    ['!!!', '!!!'],
    ['! ! !', '!!!'],
    ['+/-', '+/-'],
    ['É', 'é'],
    ['', ''],
    [' \t\u200e', ''],
  ])('of %j is %j', (text, key) => {
    expect(matchKey(text)).toBe(key);
  });

  it.each([
    ['Björk', 'Bjork'],
    ['Beyoncé', 'Beyonce'],
    ['É', 'E'],
    ['Ø', 'O'],
    ['!!!', '???'],
    ['الله', 'اله'],
    ['Мой', 'Мои'],
  ])('distinguishes %j and %j', (a, b) => {
    expect(matchKey(a)).not.toBe(matchKey(b));
  });
});

describe('an artist', () => {
  it.each([
    null,
    '',
    '  ',
    'Unknown',
    'UNKNOWN ARTIST',
    '<Unknown Artist>',
    'Various Artists',
    'Various',
    'V.A.',
    'VA',
    'n/a',
    '[no artist]',
    'Artist Unknown',
    'none',
    '(null)',
    '?',
    '？',
    ' ? ? ? ',
    '-',
    '--',
    '—',
    '\u2212',
  ])('is a placeholder: %j', (name) => {
    expect(artistKeys(name)).toBeNull();
  });

  it.each([
    ['Unknown Mortal Orchestra', 'unknownmortalorchestra'],
    ['!!!', '!!!'],
    ['Vá', 'v'],
    ['+/-', '+/-'],
    ['-!-', '-!-'],
    ['?uestlove', 'uestlove'],
    ['None More Black', 'nonemoreblack'],
    ['Little Feat', 'littlefeat'],
    ['Ft. Knox', 'ftknox'],
    ['Featherstone', 'featherstone'],
  ])('is an artist: %j', (name, key) => {
    expect(artistKeys(name)).toEqual({ full: key, base: key });
  });

  it.each([
    ['Lil Nas X feat. Jack Harlow', 'lilnasxfeatjackharlow', 'lilnasx'],
    ['Lil Nas X ft Jack Harlow', 'lilnasxftjackharlow', 'lilnasx'],
    ['Lil Nas X Featuring Jack Harlow & Another', 'lilnasxfeaturingjackharlowanother', 'lilnasx'],
    ['Lil Nas X (feat. Jack Harlow)', 'lilnasxfeatjackharlow', 'lilnasx'],
    ['Lil Nas X （ＦＥＡＴ. Jack Harlow）', 'lilnasxfeatjackharlow', 'lilnasx'],
    ['Lil Nas X [ft. Jack', 'lilnasxftjack', 'lilnasx'],
    ['Lil Nas X w/ Jack Harlow', 'lilnasxwjackharlow', 'lilnasx'],
    ['Various Artists feat. Somebody', 'variousartistsfeatsomebody', 'variousartistsfeatsomebody'],
    ['feat. Somebody', 'featsomebody', 'featsomebody'],
  ])('is matched without guests: %j', (name, full, base) => {
    expect(artistKeys(name)).toEqual({ full, base });
  });
});
