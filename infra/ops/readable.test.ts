import { expect, it } from 'vitest';
import { readableBytes, readableText } from './readable.ts';

it('lets no text act on a terminal', () => {
  expect(readableText('a\u001b[31mb\u202e\u009b')).toBe('a\\u001b[31mb\\u202e\\u009b');
  expect(readableText('Motörhead – 音楽')).toBe('Motörhead – 音楽');
});

it('shows bytes that are no text one by one', () => {
  expect(readableBytes(Buffer.from([0x61, 0xff, 0x1b]))).toBe('a\\xff\\x1b');
});
