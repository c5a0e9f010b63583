import { Value } from '@sinclair/typebox/value';
import { describe, expect, it } from 'vitest';
import { IngestConfig } from '../config.ts';
import { parsePrefixes, prefixOf } from './topic-prefixes.ts';

describe('the prefixes of topics', () => {
  it('are separated by commas', () => {
    expect(parsePrefixes('producers')).toEqual(['producers']);
    expect(parsePrefixes('catalog, seen.eu')).toEqual(['catalog', 'seen.eu']);
  });

  it('are rejected at the start if they are no parts of topic names', () => {
    const schema = IngestConfig.properties.TOPIC_PREFIX;
    for (const right of ['producers', 'catalog, seen.eu'])
      expect(Value.Check(schema, right), right).toBe(true);
    for (const wrong of ['', 'a,', 'a b', 'é']) expect(Value.Check(schema, wrong), wrong).toBe(false);
  });

  it.each([
    ['eu.seen.festival', 'eu'],
    ['eu.prod.seen.festival', 'eu.prod'],
    ['__debezium-heartbeat.eu', 'eu'],
    ['__debezium-heartbeat.eu.prod', 'eu.prod'],
    ['eu', undefined],
    ['europe.seen.festival', undefined],
    ['__debezium-heartbeat.us', undefined],
  ])('%s belongs to %s', (topic, prefix) => {
    expect(prefixOf(topic, ['eu', 'eu.prod'])).toBe(prefix);
    expect(prefixOf(topic, ['eu.prod', 'eu'])).toBe(prefix);
  });
});
