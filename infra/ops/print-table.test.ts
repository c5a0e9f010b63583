import { expect, it } from 'vitest';
import { readableBytes, readableText } from './print-table.ts';

it('escapes control characters of the terminal', () => {
  expect(readableText('a\u001b[31mb\u202e\u009b')).toBe('a\\u001b[31mb\\u202e\\u009b');
  expect(readableText('Motörhead – 音楽')).toBe('Motörhead – 音楽');
});

it('escapes each byte that is not text', () => {
  expect(readableBytes(Buffer.from([0x61, 0xff, 0x1b]))).toBe('a\\xff\\x1b');
});
