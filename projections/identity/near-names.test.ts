import { expect, it } from 'vitest';
import { leastLikeness } from './near-names.ts';

it.each([
  ['x', 0.4],
  ['objekt', 0.4],
  ['åsa ünbound', 0.4],
  ['kerri chandler', 0.4],
  ['kitty, daisy & lewis', 0.44],
  ['underground resistance', 0.48],
  ['does it offend you, yeah?', 0.5],
  ['я'.repeat(1_000), 0.5],
  // Letters, not UTF-16 units.
  ['🎵🎵🎵🎵🎵🎵🎵🎵🎵🎵', 0.4],
])('asks of %s as much as two slips leave of it, within limits', (name, least) => {
  expect(leastLikeness(name)).toBe(least);
});
