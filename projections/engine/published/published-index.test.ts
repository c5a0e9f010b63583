import { expect, it } from 'vitest';
import { isStale } from './published-index.ts';

it('calls a snapshot stale when it is more than seven days old, to the millisecond', () => {
  const publishedAt = new Date('2024-02-25T12:00:00Z');
  expect(isStale(publishedAt, Date.parse('2024-03-03T12:00:00.000Z'))).toBe(false);
  expect(isStale(publishedAt, Date.parse('2024-03-03T12:00:00.001Z'))).toBe(true);
});
