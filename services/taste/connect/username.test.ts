import { expect, it } from 'vitest';
import { readUsername } from './username.ts';

it.each([
  ['alice', 'alice'],
  ['  alice_1  ', 'alice_1'],
  ['Ali.ce-2', 'Ali.ce-2'],
  ['two words', 'two words'],
  ['Zoe\u0308', 'Zo\u00eb'],
  ['名前', '名前'],
  ['7', '7'],
  ["!o'c*(~)+", "!o'c*(~)+"],
  ['a'.repeat(64), 'a'.repeat(64)],
  ['\u{1d7d9}'.repeat(64), '\u{1d7d9}'.repeat(64)],
])('accepts %s', (typed, name) => {
  expect(readUsername(typed)).toBe(name);
});

it.each([
  ['', /^Enter your username\.$/],
  [' \t', /^Enter your username\.$/],
  ['alice@mail.example', /e-mail/],
  ['https://scrobbler.example/user/alice', /address of your page/],
  ['user/alice', /address of your page/],
  ['a'.repeat(65), /64 characters/],
  ['..', /does not look like/],
  ['---', /does not look like/],
  ['a\nb', /does not look like/],
  ['a\u0000b', /does not look like/],
  ['a\u202eb', /does not look like/],
  ['a%2fb', /does not look like/],
  ['a?b', /does not look like/],
  ['a#b', /does not look like/],
  ['<b>', /does not look like/],
  ['a\\b', /does not look like/],
  ['a"b', /does not look like/],
])('rejects %j', (typed, fault) => {
  expect(readUsername(typed)).toEqual({ fault: expect.stringMatching(fault) });
});
