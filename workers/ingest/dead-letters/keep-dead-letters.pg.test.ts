import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../../projections/registry.ts';
import { artistPressMentions } from '../../../projections/sources/archive/artist-press-mentions.ts';
import {
  changeEvent,
  decoded,
  forgetAll,
  ingest,
  mentionEvent,
  states,
  timeOf,
  titles,
  UNCHANGED,
} from '../../../test/letters.ts';
import { withDatabase } from '../../../test/services/database.ts';
import { snapshotVersion } from '../decode/version.ts';
import { ingestBatch } from '../ingest-batch.ts';
import { loadSnapshot } from '../load-snapshot.ts';
import { findLetter, type Letter } from './list-letters.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => forgetAll(pool));

/** The letters without what differs from run to run, in the order of offsets. */
async function letters(): Promise<Partial<Letter>[]> {
  const { rows } = await pool.query<{ id: number }>(
    'select id::float8 as id from ingest.dead_letter order by partition, record_offset, id',
  );
  const found = await Promise.all(rows.map(({ id }) => findLetter(pool, id)));
  return found.flatMap((letter) => {
    if (letter === null) return [];
    const { id: _, recordedAt: __, ...rest } = letter;
    return [rest];
  });
}

const position = (lsn: number): string => lsn.toString(16).padStart(16, '0');
const versionOf = (lsn: number): string => `00000000${position(lsn).repeat(2)}1`;
const OPEN = { state: 'open', settledAt: null, settledBy: null, reason: null, epoch: 0 };

describe('a dead letter', () => {
  it('holds all that its record had', async () => {
    const record = {
      ...mentionEvent('m1', 7, { title: 12, url: null }),
      headers: { trace: 'a\u0000b', h: 'é' },
    };
    expect(await ingest(pool, registry, [record, mentionEvent('m2', 8)], 3)).toMatchObject({
      deadLetters: 1,
    });
    expect(await letters()).toEqual([
      {
        ...OPEN,
        class: 'contract',
        table: 'archive_api_v1.artist_press_mentions',
        key: 'm1',
        version: versionOf(7),
        topic: 'producers.archive_api_v1.artist_press_mentions',
        partition: 3,
        offset: 7,
        violations: [
          { field: 'title', reason: 'not_text' },
          { field: 'url', reason: 'null_not_allowed' },
        ],
        recordTopic: null,
        recordKey: record.key,
        payload: record.value,
        headers: { trace: 'a\u0000b', h: 'é' },
        recordTime: new Date(timeOf(7) + 10),
        snapshotTime: null,
      },
    ]);
    expect(await titles(pool)).toEqual({ m2: 'title 1' });
  });

  it('says what kind of fault it has', async () => {
    const bytes = Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x22]);
    const noStamp = Buffer.from(JSON.stringify({ op: 'u', after: {}, before: null }));
    await ingest(pool, registry, [
      { ...mentionEvent('m1', 1), value: bytes },
      { ...mentionEvent('m2', 2), value: noStamp },
      { ...mentionEvent('m3', 3, {}, { op: 'tombstone' }), key: Buffer.from([0x00, 0x80]) },
      mentionEvent('m4', 4, { title: UNCHANGED }),
    ]);
    await ingest(pool, registry, [{ ...mentionEvent('m5', 5), topic: 'producers.seen.unheard_of' }], 1);
    expect(
      (await letters()).map((letter) => [letter.class, letter.table, letter.key, letter.version]),
    ).toEqual([
      ['undecodable', artistPressMentions.table, 'm1', null],
      ['undecodable', artistPressMentions.table, 'm2', null],
      ['undecodable', artistPressMentions.table, null, null],
      ['incomplete', artistPressMentions.table, 'm4', versionOf(4)],
      ['unknown-source', 'seen.unheard_of', null, null],
    ]);
    expect((await letters())[0]?.payload).toEqual(bytes);
    expect((await letters())[2]).toMatchObject({ payload: null, recordKey: Buffer.from([0x00, 0x80]) });
    expect((await letters())[3]?.violations).toEqual([{ field: 'title', reason: 'unavailable' }]);
  });

  it('survives what a text of the database cannot hold', async () => {
    const odd = { ...mentionEvent('m1', 1), topic: 'producers.a\u0000b', headers: { half: '\ud800' } };
    const tooDeep = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`;
    const broken = Buffer.from(
      (mentionEvent('m2', 2).value as Buffer)
        .toString()
        .replace('"outlet"', `"\\u0000\\ud800":${tooDeep},"outlet"`),
    );
    await ingest(pool, registry, [{ ...mentionEvent('m2', 2), value: broken }]);
    const place = { group: 'odd', topic: 'file#1', partition: 0 };
    await ingestBatch(pool, registry, place, [decoded(odd, registry)], null, 2);
    expect(await letters()).toMatchObject([
      {
        topic: 'file#1',
        recordTopic: 'producers.a\ufffdb',
        table: 'a\ufffdb',
        headers: { half: '\ud800' },
        payload: odd.value,
      },
      { key: 'm2', violations: [{ field: '\ufffd\ufffd', reason: 'not_json' }], payload: broken },
    ]);
  });

  it('is one however often its record is read, and stays as settled as it was', async () => {
    const broken = mentionEvent('m1', 1, { title: 12 });
    await ingest(pool, registry, [broken]);
    await ingest(pool, registry, [broken]);
    expect(await states(pool)).toEqual(['open@1']);
    await ingest(pool, registry, [mentionEvent('m1', 2)]);
    await ingest(pool, registry, [broken]);
    expect(await states(pool)).toEqual(['superseded@1']);
  });

  it('is another where a topic that was made anew holds another record at its place', async () => {
    await ingest(pool, registry, [mentionEvent('m1', 5, { title: 12 }, { offset: 0 })]);
    await ingest(pool, registry, [mentionEvent('m2', 6, { title: 12 }, { offset: 0 })]);
    expect((await letters()).map(({ key }) => key)).toEqual(['m1', 'm2']);
  });

  it('is of the epoch that its source is in, whatever the worker has heard', async () => {
    await pool.query(
      `update ingest.source set epoch = 3 where name = 'archive_api_v1.artist_press_mentions'`,
    );
    await ingest(pool, registry, [mentionEvent('m1', 7, { title: 12 })]);
    expect(await letters()).toMatchObject([{ epoch: 3, version: `00000003${versionOf(7).slice(8)}` }]);
  });
});

describe('a line of a snapshot file', () => {
  it.each([
    ['into an empty mirror', false],
    ['beside rows that are there', true],
  ])('is a dead letter too, %s', async (_, hasRows) => {
    if (hasRows) await ingest(pool, registry, [mentionEvent('m9', 1)]);
    const folder = await mkdtemp(join(tmpdir(), 'letters-'));
    const path = join(folder, `${artistPressMentions.table}.ndjson`);
    const rows = ['m1', 'm2'].map((id) => {
      const value = JSON.parse(String(changeEvent({ lsn: 1, key: { mention_id: id } }).value));
      return value.after;
    });
    const lines = [JSON.stringify(rows[0]), JSON.stringify({ ...rows[1], title: 12 })];
    const bytes = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n{"x":`),
      Buffer.from([0xff]),
      Buffer.from('\n'),
    ]);
    await writeFile(path, bytes);
    const takenAt = Date.UTC(2026, 5, 1, 12);
    const loaded = await loadSnapshot(pool, registry, { path, source: artistPressMentions }, takenAt);
    await rm(folder, { recursive: true });
    expect(loaded).toMatchObject({ rows: 1, deadLetters: 2 });
    expect(await letters()).toMatchObject([
      {
        class: 'contract',
        table: artistPressMentions.table,
        topic: expect.stringMatching(/^archive_api_v1\.artist_press_mentions\.ndjson#/),
        recordTopic: artistPressMentions.table,
        offset: 1,
        key: 'm2',
        version: snapshotVersion(0, takenAt),
        snapshotTime: new Date(takenAt),
        recordTime: null,
        payload: Buffer.from(lines[1] ?? ''),
      },
      {
        class: 'undecodable',
        offset: 2,
        key: null,
        version: snapshotVersion(0, takenAt),
        payload: Buffer.from([...Buffer.from('{"x":'), 0xff]),
      },
    ]);
  });
});
