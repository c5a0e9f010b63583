import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { projections } from '../../../projections/index.ts';
import { clearIngest } from '../../../test/support/ingest/dead-letters.ts';
import { MENTIONS, mention, storedMentions, streamMentions } from '../../../test/support/ingest/mentions.ts';
import { CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { withFolder } from '../../../test/support/services/folder.ts';
import { raiseEpoch } from '../apply/epochs.ts';
import { type LoadOptions, loadSnapshot } from './load-snapshot.ts';
import { purgeReplacements } from './replace-missing.ts';
import { listUndoable, purgeRemovedRows, UNDO_DAYS, undoReplacement } from './undo-replacement.ts';

const { pool } = withDatabase();
const folder = withFolder();
let registry: Registry;

const NOON = Date.UTC(2026, 5, 30, 12);
const HOUR = 3_600_000;

beforeEach(async () => {
  await clearIngest(pool);
  registry = await registerSources(pool);
});

let files = 0;
const write = (content: Parameters<typeof folder.write>[1], ending = '.ndjson') =>
  folder.write(`${++files}/${MENTIONS}${ending}`, content);

const mentions = (...ids: string[]) => ids.map((id) => mention(id));

const load = (path: string, timeMs: number, options: LoadOptions = {}) =>
  loadSnapshot(pool, registry, { path, source: artistPressMentions }, { timeMs, isDated: true, ...options });

const replace = (path: string, timeMs = NOON, options: LoadOptions = {}) =>
  load(path, timeMs, { replace: {}, ...options });

/** The file is known to have so many rows. */
const expecting = (expectedRows: number): LoadOptions => ({ replace: { expectedRows } });

/** The ids of existing rows. */
const there = async (): Promise<string> =>
  Object.entries(await storedMentions(pool))
    .flatMap(([id, title]) => (title === null ? [] : [id]))
    .join('');

const keysNoted = async (): Promise<number> =>
  (await pool.query<{ count: number }>('select count(*)::int from ingest.replacement_key')).rows[0]?.count ??
  -1;

describe('a file that replaces a source', () => {
  it('removes the rows that it lacks only on request', async () => {
    await load(write(mentions('a', 'b', 'c', 'd')), NOON - HOUR);
    const path = write(mentions('a', 'b', 'e'));
    expect(await load(path, NOON)).toMatchObject({ removed: 0 });
    expect(await there()).toBe('abcde');
    expect(await replace(path, NOON, expecting(3))).toMatchObject({
      rows: 0,
      older: 3,
      removed: 2,
      skipped: 0,
      isWhole: true,
    });
    expect(await there()).toBe('abe');
    expect(await keysNoted()).toBe(0);
  });

  it('removes even recent rows of an earlier epoch', async () => {
    await streamMentions(pool, registry, { id: 'a', atMs: NOON }, { id: 'b', atMs: NOON + HOUR, lsn: 2 });
    await raiseEpoch(pool, registry, artistPressMentions, { actor: 'test', reason: 'restored' });
    registry = await registerSources(pool);
    const only = write(mentions('a'));
    expect(await replace(only, NOON - HOUR, expecting(1))).toMatchObject({ removed: 1, isWhole: true });
    expect(await there()).toBe('a');
  });

  it('is skipped when it is loaded again, and removes nothing', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write(mentions('a', 'b'));
    expect(await replace(path, NOON, expecting(2))).toMatchObject({ removed: 1 });
    await load(write(mentions('c')), NOON - HOUR / 2);
    expect(await there()).toBe('ab');
    expect(await replace(path, NOON, expecting(2))).toMatchObject({ removed: 0, skipped: 2 });
    expect(await there()).toBe('ab');
  });

  it('keeps rows streamed after it was taken, and removes earlier ones', async () => {
    await streamMentions(
      pool,
      registry,
      { id: 'a', lsn: 1, atMs: NOON - HOUR },
      { id: 'b', lsn: 2, atMs: NOON - HOUR },
      { id: 'c', lsn: 3, atMs: NOON + 1 },
      { id: 'd', lsn: 4, atMs: NOON },
    );
    expect(await replace(write(mentions('a')), NOON, expecting(1))).toMatchObject({ removed: 2 });
    expect(await storedMentions(pool)).toEqual({ a: 'title of a', b: null, c: 'title of c', d: null });
    // Nothing older restores them, but the producer's next write does.
    expect(await load(write(mentions('b', 'd')), NOON)).toMatchObject({ rows: 0, older: 2 });
    await streamMentions(pool, registry, { id: 'b', lsn: 2, atMs: NOON - HOUR });
    expect(await there()).toBe('ac');
    await streamMentions(pool, registry, { id: 'b', lsn: 5, atMs: NOON + 2 });
    expect(await there()).toBe('abc');
  });

  it('keeps the rows of lines that broke their contract', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write([mention('a'), { ...mention('b'), url: 7 }]);
    expect(await replace(path, NOON, expecting(2))).toMatchObject({ rows: 1, deadLetters: 1, removed: 1 });
    expect(await there()).toBe('ab');
  });

  it('removes nothing if a line has no readable key', async () => {
    await load(write(mentions('a', 'b')), NOON - HOUR);
    for (const line of ['{"mention_id":', '[]', '{"mention_id":7}']) {
      const path = write(`${JSON.stringify(mention('a'))}\n${line}\n`);
      await expect(replace(path)).rejects.toThrow('a line of the file has no readable key');
      await expect(replace(path), 'once more').rejects.toThrow('a line of the file has no readable key');
    }
    const ragged = `mention_id,title\na,one\nb,two,three\n`;
    await expect(replace(write(ragged, '.csv'))).rejects.toThrow('has no readable key');
    expect(await there()).toBe('ab');
  });

  it('removes nothing if the file is incomplete', async () => {
    await load(write(mentions('a', 'b')), NOON - HOUR);
    const packed = gzipSync(`${JSON.stringify(mention('a'))}\n`);
    await expect(replace(write(packed.subarray(0, -4), '.ndjson.gz'))).rejects.toThrow('cannot be read');
    await expect(replace(write('mention_id,title\na,"one\n', '.csv'))).rejects.toThrow('cannot be read');
    expect(await there()).toBe('ab');
  });

  it('removes at most 5 % of the rows, unless the file has as many rows as expected', async () => {
    const ids = Array.from({ length: 40 }, (_, number) => String.fromCharCode(0x41 + number));
    await load(write(mentions(...ids)), NOON - HOUR);
    expect(await replace(write(mentions(...ids.slice(2))))).toMatchObject({ removed: 2 });
    const path = write(mentions(...ids.slice(4)));
    const lacking = 'lacks 2 of its 38 rows, more than 5 %; if that is right, state the number of its rows';
    await expect(replace(path, NOON + HOUR)).rejects.toThrow(lacking);
    await expect(replace(path, NOON + HOUR, expecting(37))).rejects.toThrow(
      'the file has 36 different rows, and 37 were expected',
    );
    expect(await there()).toBe(ids.slice(2).join(''));
    expect(await replace(path, NOON + HOUR, expecting(36))).toMatchObject({ skipped: 36, removed: 2 });
    expect(await there()).toBe(ids.slice(4).join(''));
    await expect(replace(write(''), NOON + 3 * HOUR)).rejects.toThrow('lacks 36 of its 36 rows');
  });

  it('continues after an interruption, also during the removal', async () => {
    const ids = Array.from({ length: 5_200 }, (_, number) => `m${String(number).padStart(5, '0')}`);
    await load(write(mentions(...ids)), NOON - HOUR);
    const path = write(mentions('m00007', 'z'));
    const most = expecting(2);
    const stopAt = (checks: number) =>
      ({
        get aborted() {
          return --checks < 0;
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

  it('does not continue another load of the same file', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write(mentions('a', 'b'));
    await load(path, NOON);
    expect(await replace(path, NOON + HOUR, expecting(2))).toMatchObject({ rows: 2, removed: 1 });
    await load(write(mentions('d')), NOON + HOUR);
    const again = await replace(path, NOON + 2 * HOUR, expecting(2));
    expect(again).toMatchObject({ rows: 2, skipped: 0, removed: 1 });
  });

  it('starts again if its keys were purged', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    const path = write(mentions('a', 'b'));
    await expect(
      replace(path, NOON, { ...expecting(2), signal: AbortSignal.abort() }),
    ).resolves.toMatchObject({
      isWhole: false,
    });
    await pool.query(`update ingest.replacement set started_at = now() - interval '2 days'`);
    expect(await purgeReplacements(pool, new Date(Date.now() - 86_400_000))).toBe(1);
    expect(await replace(path, NOON, expecting(2))).toMatchObject({ rows: 2, skipped: 0, removed: 1 });
    expect(await purgeReplacements(pool, new Date(Date.now() - 86_400_000))).toBe(0);
  });

  it('marks the subjects of removed rows dirty, and removes their links', async () => {
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
        { timeMs, ...options },
      );
    await loadMasters(rows, NOON);
    const name = projections.find(({ reads }) => reads.some(({ source }) => source === catalogMaster))?.name;
    await pool.query(
      `insert into projection.version (projection, state, code_version) values ($1, 'building', '')`,
      [name],
    );
    await loadMasters(rows.slice(1), NOON + HOUR, expecting(1));
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

describe('an undo', () => {
  const WHO = { actor: 'mia', why: 'the export was incomplete' };
  const undo = () => undoReplacement(pool, registry, artistPressMentions, WHO);
  const mirror = async () =>
    (
      await pool.query(
        'select key, subject, order_key, row, version, changed_time from ingest.mirror order by key',
      )
    ).rows;

  it('restores the removed rows as they were, and the file can replace the table again', async () => {
    await load(write(mentions('a', 'b')), NOON - HOUR);
    await streamMentions(pool, registry, { id: 'c', lsn: 7, atMs: NOON - HOUR });
    const before = await mirror();
    const path = write(mentions('a'));
    expect(await undo()).toBeNull();
    expect(await replace(path, NOON, expecting(1))).toMatchObject({ removed: 2 });
    expect(await listUndoable(pool)).toMatchObject([{ table: MENTIONS, rows: 2 }]);
    expect(await undo()).toEqual({ restored: 2, changedSince: 0 });
    expect((await mirror()).slice(1)).toEqual(before.slice(1));
    expect(await undo()).toBeNull();
    const { rows } = await pool.query(`select actor, target, reason, detail from operation.audit`);
    expect(rows).toMatchObject([
      { actor: 'mia', target: MENTIONS, reason: WHO.why, detail: { restored: 2 } },
    ]);
    expect(await replace(path, NOON, expecting(1))).toMatchObject({ removed: 2 });
    expect(await there()).toBe('a');
  });

  it('leaves rows that were written or truncated since', async () => {
    await load(write(mentions('a', 'b', 'c')), NOON - HOUR);
    await replace(write(mentions('a')), NOON, expecting(1));
    await streamMentions(pool, registry, { id: 'b', title: 'newer', lsn: 7, atMs: NOON + HOUR });
    expect(await undo()).toEqual({ restored: 1, changedSince: 1 });
    expect(await storedMentions(pool)).toEqual({ a: 'title of a', b: 'newer', c: 'title of c' });
    await replace(write(mentions('a', 'b')), NOON + 2 * HOUR, expecting(2));
    await streamMentions(pool, registry, { op: 't', lsn: 9, atMs: NOON + 3 * HOUR });
    expect(await undo()).toMatchObject({ restored: 0 });
    expect(await there()).toBe('');
  });

  it('marks the documents of restored rows dirty, and restores their links', async () => {
    const rows = rowsOf(
      catalogMaster,
      { master_id: 1, catalog_artist_ids: [11], artist_cluster_id: CLUSTER },
      { master_id: 2, catalog_artist_ids: [12], artist_cluster_id: null },
    ).rows;
    const loadMasters = (some: typeof rows, timeMs: number, options: LoadOptions = {}) => {
      const file = { path: folder.write('catalog.master.ndjson', some, timeMs), source: catalogMaster };
      return loadSnapshot(pool, registry, file, { timeMs, ...options });
    };
    const links = async () => (await pool.query('select subject, key from ingest.link order by 1, 2')).rows;
    await loadMasters(rows, NOON);
    const before = await links();
    await loadMasters(rows.slice(1), NOON + HOUR, expecting(1));
    expect(await links()).not.toEqual(before);
    const name = projections.find(({ reads }) => reads.some(({ source }) => source === catalogMaster))?.name;
    await pool.query(
      `delete from projection.version;
       delete from projection.mark;`,
    );
    await pool.query(
      `insert into projection.version (projection, state, code_version) values ($1, 'building', '')`,
      [name],
    );
    expect(await undoReplacement(pool, registry, catalogMaster, WHO)).toMatchObject({ restored: 1 });
    expect(await links()).toEqual(before);
    const { rows: marks } = await pool.query('select distinct unnest(keys) as key from projection.mark');
    expect(marks).toEqual(expect.arrayContaining([{ key: 'catalog-artist:11' }]));
  });

  it('is possible for seven days', async () => {
    await load(write(mentions('a', 'b')), NOON - HOUR);
    await replace(write(mentions('a')), NOON, expecting(1));
    const { signal } = new AbortController();
    const before = new Date(Date.now() - UNDO_DAYS * 86_400_000);
    expect(await purgeRemovedRows(pool, before, signal)).toBe(0);
    await pool.query(`update ingest.removed_row set removed_at = now() - interval '169 hours'`);
    expect(await undo()).toBeNull();
    expect(await purgeRemovedRows(pool, before, signal)).toBe(1);
  });
});
