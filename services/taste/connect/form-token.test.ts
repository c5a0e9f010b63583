import { expect, it } from 'vitest';
import { FORM_MINUTES, formTokens } from './form-token.ts';

const START = Date.UTC(2026, 0, 1);
let now = START;
const tokens = formTokens('a secret of the tests, of 32 bytes', () => now);
const parts = ['app', 'scrobbler', 'https://app.example/connected'];

it('holds for the browser and the purpose it was issued for, for an hour', () => {
  now = START;
  const token = tokens.issue('nonce', parts);
  expect(tokens.isValid(token, 'nonce', parts)).toBe(true);
  expect(tokens.isValid(token, 'another', parts)).toBe(false);
  expect(tokens.isValid(token, undefined, parts)).toBe(false);
  expect(tokens.isValid(token, 'nonce', ['app', 'catalog', 'https://app.example/connected'])).toBe(false);
  expect(tokens.isValid(token, 'nonce', parts.slice(1))).toBe(false);
  now = START + FORM_MINUTES * 60_000 - 1;
  expect(tokens.isValid(token, 'nonce', parts)).toBe(true);
  now += 1;
  expect(tokens.isValid(token, 'nonce', parts)).toBe(false);
});

it('cannot be made up or made to last', () => {
  now = START;
  const token = tokens.issue('nonce', parts);
  const [, mac = ''] = token.split('.');
  const others = formTokens('another secret of the tests, of 32', () => now);
  for (const forged of [
    '',
    '.',
    token.slice(0, -1),
    `${token}a`,
    `${START * 2}.${mac}`,
    others.issue('nonce', parts),
    `${token.split('.')[0]}.${'A'.repeat(43)}`,
  ])
    expect(tokens.isValid(forged, 'nonce', parts)).toBe(false);
});
