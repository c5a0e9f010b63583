import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { projections } from '../../projections/index.ts';
import { type Registry, registerSources } from '../../projections/registry.ts';
import { artistPressMentions } from '../../projections/sources/archive/artist-press-mentions.ts';
import { catalogMaster } from '../../projections/sources/catalog/master.ts';
import { forgetMentions, MENTIONS, mention, storedMentions, streamMentions } from '../../test/mentions.ts';
import { CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { withFolder } from '../../test/services/folder.ts';
import { raiseEpoch } from './apply/raise-epoch.ts';
import { type LoadOptions, loadSnapshot } from './load-snapshot.ts';
import { purgeReplacements } from './replace-missing.ts';

const { pool } = withDatabase();
const folder = withFolder();
let registry: Registry;

const NOON = Date.UTC(2026, 5, 30, 12);
const HOUR = 3_600_000;

beforeEach(async () => {
  await forgetMentions(pool);
  registry = await registerSources(pool);
});

let files = 0;
const write = (content: Parameters<typeof folder.write>[1], ending = '.ndjson') =>
  folder.write(`${++files}/${MENTIONS}${ending}`, content);

const mentions = (...ids: string[]) => ids.map((id) => mention(id));

const load = (path: string, timeMs: number, options: LoadOptions = {}) =>
  loadSnapshot(pool, registry, { path, source: artistPressMentions }, timeMs, { isDated: true, ...options });

const replace = (path: string, timeMs = NOON, options: LoadOptions = {}) =>
  load(path, timeMs, { replace: { most: false }, ...options });

/** The ids of rows that are there. */
const there = async (): Promise<string> =>
  Object.entries(await storedMentions(pool))
    .flatMap(([id, title]) => (title === null ? [] : [id]))
    .join('');

const keysNoted = async (): Promise<number> =>
  (await pool.query<{ count: number }>('select count(*)::int from ingest.replacement_key')).rows[0]?.count ??
  -1;

describe('a file that takes the place of a source', () => {
  it('removes the rows that it lacks, and only when asked', async () => {
    await load(write(mentions('a', 'b', 'c', 'd')), NOON - HOUR);
    const path = write(mentions('a', 'b', 'e'));
    expect(await load(path, NOON)).toMatchObject({ removed: 0 });
    expect(await there()).toBe('abcde');
    expect(await replace(path)).toMatchObject({ rows: 0, older: 3, removed: 2, skipped: 0, isWhole: true });
    expect(await there()).toBe('abe');
    expect(await keysNoted()).toBe(0);
  });

  it('removes rows of an earlier epoch, however young they are', async () => {
    await streamMentions(pool, registry, { id: 'a', atMs: NOON }, { id: 'b', atMs: NOON + HOUR, lsn: 2 });
    await raiseEpoch(pool, registry, artistPressMentions, { actor: 'test', reason: 'restored' });
    registry = await registerSources(pool);
    expect(await replace(write(mentions('a')), NOON - HOUR)).toMatchObject({ removed: 1, isWhole: true });
    expect(await there()).toBe('a');
  });

  it('is passed over when it comes again, and removes nothing then', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write(mentions('a', 'b'));
    expect(await replace(path)).toMatchObject({ removed: 1 });
    await load(write(mentions('c')), NOON - HOUR / 2);
    expect(await there()).toBe('ab');
    expect(await replace(path, NOON, { replace: { most: true } })).toMatchObject({ removed: 0, skipped: 2 });
    expect(await there()).toBe('ab');
  });

  it('leaves what was streamed after it was taken, and removes what was streamed before', async () => {
    await streamMentions(
      pool,
      registry,
      { id: 'a', lsn: 1, atMs: NOON - HOUR },
      { id: 'b', lsn: 2, atMs: NOON - HOUR },
      { id: 'c', lsn: 3, atMs: NOON + 1 },
      { id: 'd', lsn: 4, atMs: NOON },
    );
    expect(await replace(write(mentions('a')))).toMatchObject({ removed: 2 });
    expect(await storedMentions(pool)).toEqual({ a: 'title of a', b: null, c: 'title of c', d: null });
    // Nothing older brings them back; what the producer writes next does.
    expect(await load(write(mentions('b', 'd')), NOON)).toMatchObject({ rows: 0, older: 2 });
    await streamMentions(pool, registry, { id: 'b', lsn: 2, atMs: NOON - HOUR });
    expect(await there()).toBe('ac');
    await streamMentions(pool, registry, { id: 'b', lsn: 5, atMs: NOON + 2 });
    expect(await there()).toBe('abc');
  });

  it('keeps the rows of lines that broke their contract', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write([mention('a'), { ...mention('b'), url: 7 }]);
    expect(await replace(path)).toMatchObject({ rows: 1, deadLetters: 1, removed: 1 });
    expect(await there()).toBe('ab');
  });

  it('removes nothing where a line does not tell its key', async () => {
    await load(write(mentions('a', 'b')), NOON - HOUR);
    for (const line of ['{"mention_id":', '[]', '{"mention_id":7}']) {
      const path = write(`${JSON.stringify(mention('a'))}\n${line}\n`);
      await expect(replace(path)).rejects.toThrow('a line of the file did not tell its key');
      await expect(replace(path), 'once more').rejects.toThrow('a line of the file did not tell its key');
    }
    const ragged = `mention_id,title\na,one\nb,two,three\n`;
    await expect(replace(write(ragged, '.csv'))).rejects.toThrow('did not tell its key');
    expect(await there()).toBe('ab');
  });

  it('removes nothing where the file ends before its time', async () => {
    await load(write(mentions('a', 'b')), NOON - HOUR);
    const packed = gzipSync(`${JSON.stringify(mention('a'))}\n`);
    await expect(replace(write(packed.subarray(0, -4), '.ndjson.gz'))).rejects.toThrow('cannot be read');
    await expect(replace(write('mention_id,title\na,"one\n', '.csv'))).rejects.toThrow('cannot be read');
    expect(await there()).toBe('ab');
  });

  it('removes no more than half of the rows, unless that is said', async () => {
    await load(write(mentions('a', 'b', 'c', 'd')), NOON - HOUR);
    expect(await replace(write(mentions('a', 'b')))).toMatchObject({ removed: 2 });
    await load(write(mentions('a', 'b', 'c')), NOON + HOUR);
    const path = write(mentions('a'));
    await expect(replace(path, NOON + 2 * HOUR)).rejects.toThrow('lacks 2 of its 3 rows, more than half');
    expect(await there()).toBe('abc');
    const most = { replace: { most: true } };
    expect(await replace(path, NOON + 2 * HOUR, most)).toMatchObject({ rows: 0, skipped: 1, removed: 2 });
    expect(await there()).toBe('a');
    await expect(replace(write(''), NOON + 3 * HOUR)).rejects.toThrow('lacks 1 of its 1 rows');
  });

  it('goes on where it was stopped, also while it removes', async () => {
    const ids = Array.from({ length: 5_200 }, (_, number) => `m${String(number).padStart(5, '0')}`);
    await load(write(mentions(...ids)), NOON - HOUR);
    const path = write(mentions('m00007', 'z'));
    const most = { replace: { most: true } };
    const stopAt = (looks: number) =>
      ({
        get aborted() {
          return --looks < 0;
        },
      }) as AbortSignal;
    const stopped = { removed: 0, isWhole: false };
    expect(await replace(path, NOON, { ...most, signal: stopAt(0) })).toMatchObject({ rows: 0, ...stopped });
    expect(await replace(path, NOON, { ...most, signal: stopAt(1) })).toMatchObject({ rows: 2, ...stopped });
    expect(await keysNoted()).toBe(2);
    expect(await replace(path, NOON, { ...most, signal: stopAt(1) })).toMatchObject({
      rows: 0,
      removed: 5_000,
      isWhole: false,
    });
    expect(await replace(path, NOON, most)).toMatchObject({ removed: 199, isWhole: true });
    expect(await there()).toBe('m00007z');
  });

  it('does not take another load of the same file for its own', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write(mentions('a', 'b'));
    await load(path, NOON);
    expect(await replace(path, NOON + HOUR)).toMatchObject({ rows: 2, removed: 1 });
    await load(write(mentions('d')), NOON + HOUR);
    expect(await replace(path, NOON + 2 * HOUR)).toMatchObject({ rows: 2, skipped: 0, removed: 1 });
  });

  it('begins anew where its keys were forgotten', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write(mentions('a', 'b'));
    await expect(replace(path, NOON, { signal: AbortSignal.abort() })).resolves.toMatchObject({
      isWhole: false,
    });
    await pool.query(`update ingest.replacement set started_at = now() - interval '2 days'`);
    expect(await purgeReplacements(pool, new Date(Date.now() - 86_400_000))).toBe(1);
    expect(await replace(path)).toMatchObject({ rows: 2, skipped: 0, removed: 1 });
    expect(await purgeReplacements(pool, new Date(Date.now() - 86_400_000))).toBe(0);
  });

  it('marks what the removed rows were about, and removes their links', async () => {
    const rows = rowsOf(
      catalogMaster,
      { master_id: 1, catalog_artist_ids: [11], artist_cluster_id: CLUSTER },
      { master_id: 2, catalog_artist_ids: [12], artist_cluster_id: null },
    ).rows;
    const loadMasters = (some: typeof rows, timeMs: number, options: LoadOptions = {}) =>
      loadSnapshot(
        pool,
        registry,
        { path: folder.write('catalog.master.ndjson', some, timeMs), source: catalogMaster },
        timeMs,
        options,
      );
    await loadMasters(rows, NOON);
    const name = projections.find(({ reads }) => reads.some(({ source }) => source === catalogMaster))?.name;
    await pool.query(
      `insert into projection.version (projection, state, fingerprint) values ($1, 'building', '')`,
      [name],
    );
    await loadMasters(rows.slice(1), NOON + HOUR, { replace: { most: false } });
    const { rows: links } = await pool.query('select subject from ingest.link order by subject');
    expect(links).toEqual([{ subject: 'catalog-artist:12' }]);
    const { rows: marks } = await pool.query<{ key: string }>(
      'select distinct unnest(keys) as key from projection.mark order by key',
    );
    expect(marks.map(({ key }) => key)).toEqual(
      expect.arrayContaining([`artist:${CLUSTER}`, 'catalog-artist:11']),
    );
    expect(marks.map(({ key }) => key)).not.toContain('catalog-artist:12');
  });
});
