import { expect, it } from 'vitest';
import { ApiError } from '../../http/errors.ts';
import { parseLabelKey } from './route.ts';

it('distinguishes cluster ids from slugs, and lower-cases slugs', () => {
  expect(parseLabelKey('ab'.repeat(32), 'key')).toEqual({ isCluster: true, value: 'ab'.repeat(32) });
  expect(parseLabelKey('Größe-東京', 'key')).toEqual({ isCluster: false, value: 'größe-東京' });
});

it.each([
  'catalog:12',
  'Catalog:12',
  'mbid:0f0e0d0c-0b0a-4908-8706-050403020100',
  'cluster:ab',
  '',
  ' ',
  'a'.repeat(201),
  'a/b',
  'a\0b',
])('rejects %j with the error code of labels and the parameter', (text) => {
  for (const param of ['key', 'slug']) {
    const parse = (): unknown => parseLabelKey(text, param);
    expect(parse).toThrow(ApiError);
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_label_key', context: { param } }));
  }
});

it('says what is wrong with a cut cluster id, and where a label is found', () => {
  expect(() => parseLabelKey('a'.repeat(63), 'key')).toThrow(
    expect.objectContaining({
      context: {
        param: 'key',
        message: 'The key has 63 hex digits, and cluster ids have 64.',
        hint: 'Pass the cluster_id of another response verbatim, or the slug of the label.',
      },
    }),
  );
});
