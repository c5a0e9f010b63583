import { expect, it } from 'vitest';
import { rememberSince } from './cause.ts';

it('keeps when each cause was first found, and drops it on recovery', () => {
  let clock = Date.UTC(2026, 0, 1);
  const sinceWhen = rememberSince(() => clock);
  const database = { what: 'database', detail: 'does not answer' };
  const kafka = { what: 'kafka', detail: 'no partition' };
  expect(sinceWhen([database])).toEqual([{ ...database, since: '2026-01-01T00:00:00.000Z' }]);
  clock += 5_000;
  expect(sinceWhen([{ ...database, detail: 'full' }, kafka])).toEqual([
    { what: 'database', detail: 'full', since: '2026-01-01T00:00:00.000Z' },
    { ...kafka, since: '2026-01-01T00:00:05.000Z' },
  ]);
  sinceWhen([kafka]);
  clock += 5_000;
  expect(sinceWhen([database])).toEqual([{ ...database, since: '2026-01-01T00:00:10.000Z' }]);
});
