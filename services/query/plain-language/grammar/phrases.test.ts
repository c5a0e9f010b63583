import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { phrases } from '../../../../test/data/phrases.ts';
import { sampleVocabulary } from '../../../../test/support/search/sample-vocabulary.ts';
import { interpretByGrammar } from './interpret-by-grammar.ts';

const vocabulary = sampleVocabulary();

it('interprets nine of ten phrases correctly', async () => {
  expect(phrases.length).toBeGreaterThanOrEqual(120);
  expect(new Set(phrases.map(({ text }) => text)).size).toBe(phrases.length);
  const misread: string[] = [];
  for (const { text, filters, q = '' } of phrases) {
    const found = await interpretByGrammar(text, vocabulary);
    if (!isDeepStrictEqual(found.filters, filters)) misread.push(`${text}: ${JSON.stringify(found.filters)}`);
    else if (found.q !== q) misread.push(`${text}: ${JSON.stringify(found.q)}`);
  }
  expect(misread.length / phrases.length, misread.join('\n')).toBeLessThanOrEqual(0.1);
});

it('filters only by values of the vocabulary', async () => {
  const known = {
    genre: vocabulary.genres,
    style: vocabulary.styles,
    format: vocabulary.formats,
    country: vocabulary.countries,
  };
  for (const { text } of phrases) {
    const { filters } = await interpretByGrammar(text, vocabulary);
    for (const facet of ['genre', 'style', 'format', 'country'] as const)
      for (const value of filters[facet] ?? []) expect(known[facet], text).toContain(value);
    for (const label of [...(filters.label ?? []), filters.exclude_label ?? []].flat())
      expect(await vocabulary.labels(label), text).toBe(label);
  }
});
