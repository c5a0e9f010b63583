import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { foldValue, listFacets, valuesOf } from '../../../projections/models/search/facets.ts';
import { splitWords } from '../../../projections/models/search/words.ts';
import { type Corpus, releaseGroup } from '../search/corpus.ts';
import type { BenchQuery } from '../search/queries.ts';
import { handleJobs } from './handle-jobs.ts';

/**
 * A kept full-text search engine doing the same work: SQLite's FTS5, its rows in the order of popularity, facet values as
 * words of their own. Each search gives its total, a page of rows and the facets of the first 50,000.
 */

export type SqliteJob =
  | { readonly kind: 'build'; readonly corpus: Corpus }
  | { readonly kind: 'search'; readonly queries: readonly BenchQuery[] };

export interface SqliteResult {
  /** Milliseconds of each query, in their order. */
  readonly latencies: readonly number[];
  readonly totals: readonly number[];
}

const COUNTED = 50_000;
const SHOWN = 20;

let database: DatabaseSync | null = null;
let folder: string | null = null;

async function build(corpus: Corpus): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), 'linernotes-fts-'));
  database = new DatabaseSync(path.join(folder, 'search.db'));
  database.exec(`
    pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000; pragma mmap_size = 4000000000;
    create virtual table words using fts5(title, artist, facets, content='', detail=full, prefix='1 2 3',
      tokenize="unicode61 remove_diacritics 0 tokenchars '_'");
    create table row (rank integer primary key, body text, year integer, djs integer, facets text);
    begin`);
  const order = popularityOrder(corpus);
  const words = database.prepare('insert into words (rowid, title, artist, facets) values (?, ?, ?, ?)');
  const rows = database.prepare('insert into row values (?, ?, ?, ?, ?)');
  for (let rank = 0; rank < order.length; rank++) {
    const document = releaseGroup(corpus, order[rank] ?? 0);
    const { row, title, artist } = document;
    const tokens = facetTokens(document);
    words.run(rank + 1, title.words, artist.words, tokens.join(' '));
    rows.run(rank + 1, JSON.stringify(row), row.year, row.dj_count, tokens.join(' '));
  }
  database.exec(`commit; insert into words (words) values ('optimize')`);
}

function popularityOrder(corpus: Corpus): Uint32Array {
  const owners = new Int32Array(corpus.releaseGroups);
  const djs = new Int32Array(corpus.releaseGroups);
  for (let number = 0; number < corpus.releaseGroups; number++) {
    const { row } = releaseGroup(corpus, number);
    owners[number] = row.owner_count ?? -1;
    djs[number] = row.dj_count ?? -1;
  }
  return Uint32Array.from(owners.keys()).sort(
    (a, b) => (owners[b] ?? 0) - (owners[a] ?? 0) || (djs[b] ?? 0) - (djs[a] ?? 0) || a - b,
  );
}

/** Letters and digits alone, so that each value is one word. */
const token = (facet: string, value: string): string =>
  `${facet}_${[...foldValue(value)].map((letter) => (/[a-z0-9]/.test(letter) ? letter : `_${letter.codePointAt(0)}`)).join('')}`;

const facetTokens = (document: SearchDocument): string[] => [
  ...listFacets.flatMap((facet) => valuesOf(document, facet).map((value) => token(facet, value))),
  ...(document.row.cube_quadrant === null ? [] : [token('quadrant', document.row.cube_quadrant)]),
  token('by', splitWords(document.row.artist).words.join(' ')),
];

const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`;

/** The search as FTS5 writes it. */
function expression({ q, filters }: BenchQuery): string {
  const { words } = splitWords(q);
  const texts = words.map((word, index) => `${quoted(word)}${index === words.length - 1 ? ' *' : ''}`);
  const parts = [`{title artist} : (${texts.join(' AND ')})`];
  const without: string[] = [];
  for (const facet of listFacets) {
    const values = [filters[facet] ?? []].flat().map((value) => quoted(token(facet, value)));
    if (values.length > 0)
      parts.push(`facets : (${values.join(filters[`${facet}_mode`] === 'and' ? ' AND ' : ' OR ')})`);
  }
  if (filters.cube_quadrant)
    parts.push(`facets : ${quoted(token('quadrant', String(filters.cube_quadrant)))}`);
  if (filters.exclude_label) without.push(quoted(token('label', String(filters.exclude_label))));
  if (filters.exclude_artist)
    without.push(quoted(token('by', splitWords(String(filters.exclude_artist)).words.join(' '))));
  const all = `(${parts.join(' AND ')})`;
  return without.length === 0 ? all : `${all} NOT (facets : (${without.join(' OR ')}))`;
}

const statements = new Map<string, StatementSync>();

function statement(sql: string): StatementSync {
  if (database === null) throw new Error('nothing has been built');
  const known = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, known);
  return known;
}

function search(query: BenchQuery): number {
  const { filters, limit, offset } = query;
  const conditions = [
    ...(filters.year_from ? [`year >= ${Number(filters.year_from)}`] : []),
    ...(filters.year_to ? [`year <= ${Number(filters.year_to)}`] : []),
    ...(filters.dj_count_min ? [`djs >= ${Number(filters.dj_count_min)}`] : []),
  ].join(' and ');
  const match = expression(query);
  const from =
    conditions === ''
      ? 'words where words match ?'
      : `words join row on row.rank = words.rowid where words match ? and ${conditions}`;
  const { total } = statement(`select count(*) as total from ${from}`).get(match) as { total: number };
  const ranks = statement(
    `select words.rowid as rank from ${from} order by words.rowid limit ? offset ?`,
  ).all(match, limit, offset);
  const body = statement('select body from row where rank = ?');
  for (const { rank } of ranks) JSON.parse(String((body.get(Number(rank)) as { body: string }).body));
  countFacets(from, match);
  return total;
}

function countFacets(from: string, match: string): [string, number][][] {
  const counts = new Map<string, number>();
  const inner = `select words.rowid as rank from ${from} order by words.rowid limit ${COUNTED}`;
  const rows = statement(`select facets from (${inner}) found join row using (rank)`).all(match);
  for (const { facets } of rows)
    for (const value of String(facets).split(' ')) counts.set(value, (counts.get(value) ?? 0) + 1);
  return listFacets.map((facet) =>
    [...counts]
      .filter(([value]) => value.startsWith(`${facet}_`))
      .sort((a, b) => b[1] - a[1])
      .slice(0, SHOWN),
  );
}

handleJobs<SqliteJob, SqliteResult>(async (job) => {
  if (job.kind === 'build') {
    await build(job.corpus);
    return { latencies: [], totals: [] };
  }
  const latencies: number[] = [];
  const totals = job.queries.map((query) => {
    const start = performance.now();
    const total = search(query);
    latencies.push(performance.now() - start);
    return total;
  });
  return { latencies, totals };
});

process.on('exit', () => {
  database?.close();
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});
