import { expect, it } from 'vitest';
import { decodeRecord } from '../../../workers/ingest/decode/envelope.ts';
import { eventTables, generateEvents } from './events.ts';

const decoded = (seed: number, count: number) =>
  [...generateEvents(seed, count)].map(({ source, key, value }, offset) =>
    decodeRecord(
      { topic: `p.${source.table}`, key, value, headers: {}, offset, timestamp: null },
      { prefix: 'p', epoch: () => 0 },
    ),
  );

it('gives the same bytes for the same seed, and others for another', () => {
  const text = (seed: number) => JSON.stringify([...generateEvents(seed, 40)]);
  expect(text(1)).toBe(text(1));
  expect(text(1)).not.toBe(text(2));
});

it('creates every row in the first half and changes each once in the second', () => {
  const events = decoded(1, 80).map((event) => {
    if (event.kind !== 'upsert') throw new Error(`decoded to ${event.kind}`);
    return event;
  });
  const [created, updated] = [events.slice(0, 40), events.slice(40)];
  expect(new Set(created.map(({ source, key }) => `${source.table} ${key}`)).size).toBe(40);
  created.forEach((event, index) => {
    const update = updated[index];
    expect(update?.key).toBe(event.key);
    expect(update?.row).not.toBe(event.row);
    expect(update && update.version > event.version).toBe(true);
  });
  expect(new Set(events.map(({ source }) => source.table))).toEqual(new Set(eventTables));
});

it('makes messages of about a kilobyte', () => {
  const sizes = [...generateEvents(1, 400)].map(({ key, value }) => key.length + value.length);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  expect(mean).toBeGreaterThan(700);
  expect(mean).toBeLessThan(1_300);
});
