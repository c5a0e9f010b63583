import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { documentOf, documents, searchFilters, searchText } from '../../../test/support/search/documents.ts';
import { searchPlainly } from '../../../test/support/search/oracle.ts';
import type { SearchFilters } from '../plain-language/interpretation.ts';
import { type DocumentChange, deltaOn } from './delta.ts';
import { memorySegment } from './memory-segment.ts';
import { searchQuery } from './query.ts';
import { runQuery, type SearchResult } from './run-query.ts';
import type { PartView } from './segment.ts';

const never = new AbortController().signal;

const search = (
  parts: readonly PartView[],
  q: string,
  filters: SearchFilters = {},
  page = { offset: 0, limit: 100 },
): Promise<SearchResult> => runQuery(parts, searchQuery(q, filters, page), never);

const whole = (all: readonly SearchDocument[]): PartView[] => [{ segment: memorySegment(all), hidden: null }];

const idsOf = ({ rows }: SearchResult): number[] => rows.map(({ master_id }) => master_id);

describe('a search', () => {
  it('finds, ranks and counts like a scan of all release groups', async () => {
    await fc.assert(
      fc.asyncProperty(documents, searchText, searchFilters, async (all, q, filters) => {
        const found = await search(whole(all), q, filters);
        const expected = searchPlainly(all, q, filters);
        expect(idsOf(found)).toEqual(expected.ids);
        expect(found.total).toBe(expected.ids.length);
        expect(found.facets).toEqual(expected.facets);
        expect(found.isSample).toBe(false);
      }),
      { numRuns: 400 },
    );
  });

  it('without words finds all that pass the filters, by popularity', async () => {
    await fc.assert(
      fc.asyncProperty(documents, searchFilters, async (all, filters) => {
        expect(idsOf(await search(whole(all), '', filters))).toEqual(searchPlainly(all, '', filters).ids);
      }),
    );
  });

  it('gives pages of any length that join into one list', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        searchText,
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        async (all, q, sizes) => {
          const parts = whole(all);
          const one = await search(parts, q);
          const pages: number[] = [];
          for (const limit of sizes) {
            const page = await search(parts, q, {}, { offset: pages.length, limit });
            expect(page.total).toBe(one.total);
            pages.push(...idsOf(page));
            if (page.rows.length < limit) break;
          }
          expect(pages).toEqual(idsOf(one));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('ends when it is aborted', async () => {
    const query = searchQuery('love', {}, { offset: 0, limit: 1 });
    const reason = new Error('gone');
    await expect(runQuery(whole([]), query, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('a generation and the changes since', () => {
  /** Rounds of changes to existing, new and deleted release groups. */
  const rounds = fc.array(
    fc
      .uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 })
      .chain((ids) =>
        fc.tuple(
          ...ids.map((id) => fc.option(documentOf(id)).map((document): DocumentChange => ({ id, document }))),
        ),
      ),
    { maxLength: 5 },
  );

  it('are searched like a rebuilt generation', async () => {
    await fc.assert(
      fc.asyncProperty(documents, rounds, searchText, searchFilters, async (first, changes, q, filters) => {
        const delta = deltaOn(memorySegment(first), 5);
        const now = new Map(first.map((document) => [document.row.master_id, document]));
        for (const round of changes) {
          delta.apply(round);
          for (const { id, document } of round) {
            now.delete(id);
            if (document !== null) now.set(id, document);
          }
        }
        const changed = await search(delta.parts, q, filters);
        expect(changed).toEqual(await search(whole([...now.values()]), q, filters));
        expect(idsOf(changed)).toEqual(searchPlainly([...now.values()], q, filters).ids);
        expect(delta.size).toBe(new Set(changes.flat().map(({ id }) => id)).size);
      }),
      { numRuns: 150 },
    );
  });

  it('do not change for a running search', async () => {
    await fc.assert(
      fc.asyncProperty(documents, rounds, searchText, async (first, changes, q) => {
        const delta = deltaOn(memorySegment(first), 5);
        const before = delta.parts;
        const expected = await search(before, q);
        for (const round of changes) delta.apply(round);
        expect(await search(before, q)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a prefix', () => {
  it('is found in many words and in few', async () => {
    const titles = Array.from({ length: 200 }, (_, number) => `lo${number} love`);
    const [like] = fc.sample(documentOf(1), { numRuns: 1, seed: 1 });
    if (like === undefined) throw new Error('nothing was made');
    const all = titles.map((title, index): SearchDocument => {
      const [first = ''] = title.split(' ');
      return {
        ...like,
        row: { ...like.row, master_id: index + 1, title, artist: '' },
        title: { words: `${first} love`, further: '' },
        artist: { words: '', further: '' },
      };
    });
    const parts = whole(all);
    for (const [q, total] of [
      ['l', 200],
      ['lo1', 111],
      ['lo19', 11],
      ['lo199', 1],
      ['lov', 200],
      ['lo200', 0],
    ] as const)
      expect([q, (await search(parts, q)).total]).toEqual([q, total]);
  });
});

describe('the facets of many results', () => {
  it('are counted on the most popular 50,000, which the result shows', async () => {
    const [like] = fc.sample(documentOf(1), { numRuns: 1, seed: 1 });
    if (like === undefined) throw new Error('nothing was made');
    const many = Array.from({ length: 50_010 }, (_, index): SearchDocument => {
      const row = { ...like.row, master_id: index + 1, owner_count: index, formats: [], cube_quadrant: null };
      return {
        ...like,
        row,
        genres: [index < 10 ? 'Rare' : 'Common'],
        styles: [],
        labels: [],
        country: null,
      };
    });
    const found = await search(whole(many), '', {}, { offset: 0, limit: 1 });
    expect(found).toMatchObject({ total: 50_010, isSample: true });
    expect(found.facets.genre).toEqual([{ value: 'Common', count: 50_000 }]);
  });
});
