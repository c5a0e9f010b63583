import { expect, it } from 'vitest';
import { FORM_MINUTES, formTokens } from './form-token.ts';

const START = Date.UTC(2026, 0, 1);
let now = START;
const tokens = formTokens('a secret of the tests, of 32 bytes', () => now);
const parts = ['app', 'scrobbler', 'https://app.example/connected'];

const isValid = (token: string, nonce: string | undefined, purpose: readonly string[]): boolean =>
  tokens.verify(token, nonce, purpose) !== null;

it('is valid for its browser and purpose, for an hour', () => {
  now = START;
  const token = tokens.issue('nonce', parts);
  expect(isValid(token, 'nonce', parts)).toBe(true);
  expect(isValid(token, 'another', parts)).toBe(false);
  expect(isValid(token, undefined, parts)).toBe(false);
  expect(isValid(token, 'nonce', ['app', 'catalog', 'https://app.example/connected'])).toBe(false);
  expect(isValid(token, 'nonce', parts.slice(1))).toBe(false);
  now = START + FORM_MINUTES * 60_000 - 1;
  expect(isValid(token, 'nonce', parts)).toBe(true);
  now += 1;
  expect(isValid(token, 'nonce', parts)).toBe(false);
});

it('cannot be forged or extended', () => {
  now = START;
  const token = tokens.issue('nonce', parts);
  const [, id, mac = ''] = token.split('.');
  const others = formTokens('another secret of the tests, of 32', () => now);
  for (const forged of [
    '',
    '.',
    token.slice(0, -1),
    `${token}a`,
    `${START * 2}.${id}.${mac}`,
    others.issue('nonce', parts),
    `${token.split('.')[0]}.${id}.${'A'.repeat(43)}`,
    `${token.split('.')[0]}.${'A'.repeat(43)}.${mac}`,
  ])
    expect(isValid(forged, 'nonce', parts)).toBe(false);
});

it('identifies each form, also however its signature is spelt', () => {
  now = START;
  const [one, other] = [tokens.issue('nonce', parts), tokens.issue('nonce', parts)];
  const macOf = (token: string) => tokens.verify(token, 'nonce', parts)?.mac.toString('hex');
  expect(macOf(one)).not.toBe(macOf(other));
  // The last letter has two bits that no byte uses.
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const respelt = one.slice(0, -1) + letters[letters.indexOf(one.at(-1) ?? '') ^ 1];
  expect([respelt === one, macOf(respelt)]).toEqual([false, macOf(one)]);
});
