import { describe, expect, it } from 'vitest';
import { sources } from './index.ts';
import { sourceJsonSchema } from './json-schema.ts';
import { clusterAuthorityIdsV1 } from './mirror/cluster-authority-ids-v1.ts';
import { storefrontItem } from './storefront/item.ts';

describe('sourceJsonSchema', () => {
  it('states the contract of a table', () => {
    const schema = sourceJsonSchema(clusterAuthorityIdsV1);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'mirror.cluster_authority_ids_v1',
      type: 'object',
      required: ['cluster_id', 'scheme', 'value', 'confidence', 'verified'],
      additionalProperties: true,
    });
    expect(schema.description).toBe(
      'A row of mirror.cluster_authority_ids_v1, owned by mirror, refreshed daily. ' +
        'Primary key: cluster_id, scheme, value. About: artist, by cluster_id.',
    );
    expect(schema.properties.cluster_id).toEqual({ type: 'string', pattern: '^[0-9a-f]{64}$' });
    expect(schema.properties.scheme).toMatchObject({
      type: 'string',
      enum: expect.arrayContaining(['isni']),
    });
    expect(schema.properties.url).toEqual({
      anyOf: [{ type: 'string', maxLength: 20_000 }, { type: 'null' }],
    });
  });

  it('states lists and their limits', () => {
    expect(sourceJsonSchema(storefrontItem).properties.tags).toEqual({
      type: 'array',
      maxItems: 1_000,
      items: { type: 'string', maxLength: 20_000 },
    });
  });

  it('omits our own keyword, for every source', () => {
    for (const source of sources) {
      const { properties } = sourceJsonSchema(source);
      expect(Object.keys(properties)).toEqual(Object.keys(source.columns));
      expect(JSON.stringify(properties)).not.toContain('"encoding"');
    }
  });
});
