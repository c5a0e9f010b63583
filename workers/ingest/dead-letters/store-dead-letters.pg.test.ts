import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import {
  changeRecord,
  clearIngest,
  decodedRecord,
  eventTime,
  ingest,
  mentionChange,
  states,
  UNCHANGED,
} from '../../../test/support/ingest/dead-letters.ts';
import { storedMentions } from '../../../test/support/ingest/mentions.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from '../apply/ingest-batch.ts';
import { snapshotVersion } from '../decode/version.ts';
import { loadSnapshot } from '../snapshots/load-snapshot.ts';
import { type DeadLetterDetails, findDeadLetter } from './list-dead-letters.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => clearIngest(pool));

/** The dead letters in the order of offsets, without values that vary between runs. */
async function letters(): Promise<Partial<DeadLetterDetails>[]> {
  const { rows } = await pool.query<{ id: number }>(
    'select id::float8 as id from ingest.dead_letter order by partition, record_offset, id',
  );
  const found = await Promise.all(rows.map(({ id }) => findDeadLetter(pool, id)));
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
  it('contains the whole record', async () => {
    const record = {
      ...mentionChange('m1', 7, { title: 12, url: null }),
      headers: { trace: 'a\u0000b', h: 'é' },
    };
    expect(await ingest(pool, registry, [record, mentionChange('m2', 8)], { partition: 3 })).toMatchObject({
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
        recordTime: new Date(eventTime(7) + 10),
        snapshotTime: null,
      },
    ]);
    expect(await storedMentions(pool)).toEqual({ m2: 'title 1' });
  });

  it('has a class', async () => {
    const bytes = Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x22]);
    const noStamp = Buffer.from(JSON.stringify({ op: 'u', after: {}, before: null }));
    await ingest(pool, registry, [
      { ...mentionChange('m1', 1), value: bytes },
      { ...mentionChange('m2', 2), value: noStamp },
      { ...mentionChange('m3', 3, {}, { op: 'tombstone' }), key: Buffer.from([0x00, 0x80]) },
      mentionChange('m4', 4, { title: UNCHANGED }),
    ]);
    await ingest(pool, registry, [{ ...mentionChange('m5', 5), topic: 'producers.seen.unheard_of' }], {
      partition: 1,
    });
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

  it('survives characters that the database cannot store', async () => {
    const odd = { ...mentionChange('m1', 1), topic: 'producers.a\u0000b', headers: { half: '\ud800' } };
    const tooDeep = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`;
    const broken = Buffer.from(
      (mentionChange('m2', 2).value as Buffer)
        .toString()
        .replace('"outlet"', `"\\u0000\\ud800":${tooDeep},"outlet"`),
    );
    await ingest(pool, registry, [{ ...mentionChange('m2', 2), value: broken }]);
    const place = { group: 'odd', topic: 'file#1', partition: 0 };
    await ingestBatch(pool, registry, {
      topicPartition: place,
      records: [decodedRecord(odd, registry)],
      from: null,
      to: 2,
    });
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

  it('is stored once if its record is read repeatedly, and keeps its state', async () => {
    const broken = mentionChange('m1', 1, { title: 12 });
    await ingest(pool, registry, [broken]);
    await ingest(pool, registry, [broken]);
    expect(await states(pool)).toEqual(['open@1']);
    await ingest(pool, registry, [mentionChange('m1', 2)]);
    await ingest(pool, registry, [broken]);
    expect(await states(pool)).toEqual(['superseded@1']);
  });

  it('is another one if a recreated topic has another record at its offset', async () => {
    await ingest(pool, registry, [mentionChange('m1', 5, { title: 12 }, { offset: 0 })]);
    await ingest(pool, registry, [mentionChange('m2', 6, { title: 12 }, { offset: 0 })]);
    expect((await letters()).map(({ key }) => key)).toEqual(['m1', 'm2']);
  });

  it('has the current epoch of its source, even from a worker with an older one', async () => {
    await pool.query(
      `update ingest.source set epoch = 3 where name = 'archive_api_v1.artist_press_mentions'`,
    );
    await ingest(pool, registry, [mentionChange('m1', 7, { title: 12 })]);
    expect(await letters()).toMatchObject([{ epoch: 3, version: `00000003${versionOf(7).slice(8)}` }]);
  });
});

describe('a line of a snapshot file', () => {
  it.each([
    ['into an empty mirror', false],
    ['beside rows that are there', true],
  ])('is a dead letter too, %s', async (_, hasRows) => {
    if (hasRows) await ingest(pool, registry, [mentionChange('m9', 1)]);
    const folder = await mkdtemp(join(tmpdir(), 'letters-'));
    const path = join(folder, `${artistPressMentions.table}.ndjson`);
    const rows = ['m1', 'm2'].map((id) => {
      const value = JSON.parse(String(changeRecord({ lsn: 1, key: { mention_id: id } }).value));
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
    const loaded = await loadSnapshot(
      pool,
      registry,
      { path, source: artistPressMentions },
      { timeMs: takenAt },
    );
    await rm(folder, { recursive: true });
    expect(loaded).toMatchObject({ rows: 1, deadLetters: 2 });
    expect(await letters()).toMatchObject([
      {
        class: 'contract',
        table: artistPressMentions.table,
        topic: expect.stringMatching(/^archive_api_v1\.artist_press_mentions#[0-9a-f]{64}$/),
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
