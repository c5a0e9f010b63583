import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { clearIngest } from '../../../test/support/ingest/dead-letters.ts';
import { MENTIONS, mention, storedMentions, streamMentions } from '../../../test/support/ingest/mentions.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { withFolder } from '../../../test/support/services/folder.ts';
import { raiseEpoch } from '../apply/epochs.ts';
import { copySnapshot } from './copy-snapshot.ts';
import { decodeSnapshot } from './decode-snapshot.ts';
import { findSnapshots, type LoadOptions, loadSnapshot } from './load-snapshot.ts';

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
const write = (content: Parameters<typeof folder.write>[1], ending = '.ndjson') => {
  return folder.write(`${++files}/${MENTIONS}${ending}`, content);
};

const load = (path: string, timeMs = NOON, options: LoadOptions = {}) =>
  loadSnapshot(pool, registry, { path, source: artistPressMentions }, { timeMs, ...options });

const raised = (reason: string) => raiseEpoch(pool, registry, artistPressMentions, { actor: 'test', reason });

describe('a snapshot', () => {
  it('reports the outcome of its rows', async () => {
    const result = { rows: 0, changed: 0, older: 0, deadLetters: 0, removed: 0, skipped: 0, isWhole: true };
    expect(await load(write([mention('a'), mention('b'), mention('c')]))).toEqual({
      ...result,
      rows: 3,
      changed: 3,
    });
    const next = write([mention('a'), mention('b', 'new'), { ...mention('c'), url: 7 }, mention('d')]);
    expect(await load(next, NOON + HOUR)).toEqual({ ...result, rows: 3, changed: 2, deadLetters: 1 });
    expect(await load(next, NOON + 2 * HOUR)).toEqual({ ...result, skipped: 4 });
    expect(await load(write([mention('a', 'old'), mention('e')]), NOON)).toEqual({
      ...result,
      rows: 1,
      changed: 1,
      older: 1,
    });
    expect(await storedMentions(pool)).toEqual({
      a: 'title of a',
      b: 'new',
      c: 'title of c',
      d: 'title of d',
      e: 'title of e',
    });
  });

  it('is the same file under any name and time, and another one with any other content', async () => {
    const path = write([mention('a')]);
    await load(path);
    const copy = write([mention('a')]);
    utimesSync(copy, 1, 1);
    expect(await load(copy)).toMatchObject({ rows: 0, skipped: 1 });
    const { mtimeMs } = statSync(path);
    writeFileSync(path, readFileSync(path, 'utf8').replace('title of a', 'title of A'));
    utimesSync(path, mtimeMs / 1_000, mtimeMs / 1_000);
    expect(await load(path, NOON + 1)).toMatchObject({ rows: 1, changed: 1, skipped: 0 });
  });

  it('that an earlier release loaded is not loaded again', async () => {
    const path = write([mention('a'), mention('b')]);
    const { size, mtimeMs } = statSync(path);
    const topic = `${MENTIONS}.ndjson#${size}@${Math.floor(mtimeMs)}`;
    await pool.query(`insert into ingest.position values ('snapshot', $1, 0, 2)`, [topic]);
    expect(await load(path)).toMatchObject({ rows: 0, skipped: 2 });
  });

  it('is loaded again if another time is stated', async () => {
    const path = write([mention('a')]);
    await load(path, NOON, { isDated: true });
    expect(await load(path, NOON, { isDated: true })).toMatchObject({ rows: 0, skipped: 1 });
    expect(await load(path, NOON + HOUR, { isDated: true })).toMatchObject({
      rows: 1,
      changed: 0,
      skipped: 0,
    });
  });

  it('never replaces a streamed row, however old', async () => {
    await streamMentions(
      pool,
      registry,
      { id: 'written', title: 'streamed', lsn: 1, atMs: NOON - HOUR },
      { op: 'd', id: 'deleted', lsn: 2, atMs: NOON - HOUR },
      { op: 'tombstone', id: 'deleted', atMs: NOON - HOUR },
    );
    const path = write([mention('written'), mention('deleted'), mention('new')]);
    expect(await load(path)).toMatchObject({ rows: 1, older: 2 });
    expect(await storedMentions(pool)).toEqual({ deleted: null, new: 'title of new', written: 'streamed' });
  });

  it('restores no row that only left a tombstone, unless it is newer', async () => {
    await streamMentions(pool, registry, { op: 'tombstone', id: 'a', atMs: NOON });
    expect(await load(write([mention('a')]), NOON)).toMatchObject({ rows: 0, older: 1 });
    expect(await storedMentions(pool)).toEqual({ a: null });
    const stated = { isDated: true };
    expect(await load(write([mention('a')]), NOON + 1, stated)).toMatchObject({ rows: 1, changed: 1 });
    expect(await storedMentions(pool)).toEqual({ a: 'title of a' });
    await streamMentions(pool, registry, { op: 'tombstone', id: 'a', atMs: NOON + HOUR });
    expect(await load(write([mention('a')]), NOON + HOUR, stated)).toMatchObject({ rows: 0, older: 1 });
    // A change from the log is newer than any of them.
    await streamMentions(pool, registry, { op: 'c', id: 'a', title: 'again', atMs: NOON });
    expect(await storedMentions(pool)).toEqual({ a: 'again' });
  });

  it('restores no row from before a truncate, even one during the copy', async () => {
    const upsert = async (id: string) => {
      const file = { path: write([mention(id)]), source: artistPressMentions };
      const context = { prefix: '', epoch: registry.epochOf, timeMs: NOON };
      return (await Array.fromAsync(decodeSnapshot(file, context, { from: 0, size: 10 }))).flat();
    };
    const topicPartition = { group: 'snapshot', topic: 'file', partition: 0 };
    const first = { topicPartition, records: await upsert('a'), from: null, to: 1 };
    expect(await copySnapshot(pool, registry, first)).toMatchObject({ applied: 1 });
    await streamMentions(pool, registry, { op: 't', atMs: NOON + HOUR });
    const second = { topicPartition, records: await upsert('b'), from: 1, to: 2 };
    expect(await copySnapshot(pool, registry, second)).toBeNull();
    expect(await load(write([mention('a'), mention('b')]))).toMatchObject({ rows: 0, older: 2 });
    expect(await storedMentions(pool)).toEqual({});
  });

  it('makes a row without a required value a dead letter, even in an empty source', async () => {
    const path = write([mention('a', '__debezium_unavailable_value'), mention('b')]);
    expect(await load(path)).toMatchObject({ rows: 1, deadLetters: 1 });
    expect(await storedMentions(pool)).toEqual({ b: 'title of b' });
  });

  it('makes a line that is not text a dead letter, with its number', async () => {
    const lines = [mention('a'), mention('b', '?'), mention('c')].map((row) => `${JSON.stringify(row)}\n`);
    const bytes = Buffer.from(lines.join(''));
    bytes[bytes.indexOf('"?"') + 1] = 0xff;
    expect(await load(write(bytes))).toMatchObject({ rows: 2, deadLetters: 1 });
    expect(await storedMentions(pool)).toEqual({ a: 'title of a', c: 'title of c' });
    const { rows } = await pool.query('select record_offset::int, violations from ingest.dead_letter');
    expect(rows).toEqual([{ record_offset: 1, violations: [{ field: 'value', reason: 'not_a_row' }] }]);
  });

  it('may contain envelopes, which keep their log positions', async () => {
    const source = { ts_ms: NOON, lsn: 5, sequence: '["4","5"]' };
    const path = write([
      { op: 'r', before: null, after: mention('a', 'from the log'), source },
      { op: 'd', before: mention('b'), after: null, source },
      mention('a', 'plain'),
      mention('b'),
    ]);
    expect(await load(path)).toMatchObject({ rows: 2, older: 2 });
    expect(await storedMentions(pool)).toEqual({ a: 'from the log', b: null });
  });
});

describe('a load', () => {
  const ids = Array.from({ length: 10_005 }, (_, number) => number.toString(16).padStart(64, '0'));
  const momentum = () =>
    folder.write(
      `${++files}/${artistMomentum.table}.ndjson.gz`,
      ids.map((id) => ({ ...rowsOf(artistMomentum, { cluster_id: id }).rows[0] })),
    );
  const loadMomentum = (path: string, options: LoadOptions = {}) =>
    loadSnapshot(pool, registry, { path, source: artistMomentum }, { timeMs: NOON, ...options });

  it('stops after the current chunk, and continues from there', async () => {
    const path = momentum();
    let checks = 0;
    const signal = {
      get aborted() {
        return ++checks > 1;
      },
    } as AbortSignal;
    expect(await loadMomentum(path, { signal })).toMatchObject({ rows: 10_000, isWhole: false });
    let bytes = 0;
    const onRead = (more: number) => {
      bytes += more;
    };
    expect(await loadMomentum(path, { onRead })).toMatchObject({ rows: 5, skipped: 10_000, isWhole: true });
    expect(bytes).toBe(statSync(path).size);
    const { rows } = await pool.query('select count(*)::int from ingest.mirror');
    expect(rows).toEqual([{ count: ids.length }]);
  });

  it('fails if the compression is incomplete, and keeps the complete chunks', async () => {
    const lines = ids.map((id) => JSON.stringify(rowsOf(artistMomentum, { cluster_id: id }).rows[0]));
    const packed = gzipSync(lines.join('\n'));
    const path = folder.write(`${++files}/${artistMomentum.table}.ndjson.gz`, packed.subarray(0, -8));
    await expect(loadMomentum(path)).rejects.toThrow(`${artistMomentum.table}.ndjson.gz cannot be read`);
    const { rows } = await pool.query('select count(*)::int from ingest.mirror');
    expect(rows).toEqual([{ count: 10_000 }]);
  });

  it('fails if the file is written to during the load', async () => {
    const path = write([mention('a')]);
    const onRead = () => appendFileSync(path, `${JSON.stringify(mention('b'))}\n`);
    await expect(load(path, NOON, { onRead })).rejects.toThrow('was written to while it was loaded');
  });

  it('of a loaded file starts again in a new epoch, newer than all streamed rows', async () => {
    await streamMentions(pool, registry, { id: 'a', title: 'streamed', lsn: 900, atMs: NOON });
    const path = write([mention('a')]);
    expect(await load(path)).toMatchObject({ rows: 0, older: 1 });
    await raised('the log starts over');
    registry = await registerSources(pool);
    expect(await load(path)).toMatchObject({ rows: 1, changed: 1, skipped: 0 });
    expect(await storedMentions(pool)).toEqual({ a: 'title of a' });
  });

  it('fails if the epoch is raised during the load, whether rows are copied or compared', async () => {
    for (const isStored of [false, true]) {
      await clearIngest(pool);
      registry = await registerSources(pool);
      if (isStored) await streamMentions(pool, registry, { id: 'z', atMs: NOON });
      await raised('while the process knows of the epoch before');
      const path = write([mention('a')]);
      await expect(load(path)).rejects.toThrow(`the epoch of ${MENTIONS} was raised`);
      expect(await load(path)).toMatchObject({ isWhole: true, skipped: 0 });
      expect(await storedMentions(pool)).toMatchObject({ a: 'title of a' });
    }
  });
});

describe('the snapshots of a folder', () => {
  it('are found by name, and none is loaded if a name contains no source', async () => {
    for (const name of ['seen.festival.ndjson', 'mb.recording.csv.gz', 'changes.ndjson', 'README.md'])
      folder.write(name, '');
    const found = (await findSnapshots(folder.path)).map(({ source }) => source.table);
    expect(found).toEqual(['mb.recording', 'seen.festival']);
    folder.write('seen.nothing.csv', '');
    folder.write('none.at_all.ndjson', '');
    await expect(findSnapshots(folder.path)).rejects.toThrow(
      'none.at_all.ndjson: no source is named none.at_all\nseen.nothing.csv: no source is named seen.nothing',
    );
  });
});
