import type { Vocabulary } from '../interpret/interpretation.ts';
import type { SearchEngine } from './engine.ts';

/** The facet values that can be searched for, for whoever reads plain language. */
export async function facetVocabulary(engine: SearchEngine, signal: AbortSignal): Promise<Vocabulary> {
  const { values } = await engine.facets(signal);
  const spelt = (facet: 'genre' | 'style' | 'format' | 'country'): string[] =>
    values[facet].map(({ value }) => value);
  return {
    genres: spelt('genre'),
    styles: spelt('style'),
    formats: spelt('format'),
    countries: spelt('country'),
    labels: (name) => engine.findLabel(name, signal),
  };
}
