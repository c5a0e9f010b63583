import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOps } from '../../test/support/run-ops.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'linernotes-check-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const CLUSTER = 'ab'.repeat(32);
const momentum = {
  cluster_id: CLUSTER,
  emergence_tier: 'rising',
  momentum_tier: 'steady',
  emergence_score: 1,
  momentum_score: 2.5,
  establishment_delta: 0,
  events_recent: 3,
  is_fresh_breakout: false,
  is_unsigned: true,
  as_of: '2019-06-30',
};

async function check(name: string, lines: readonly unknown[], ...options: string[]) {
  const file = path.join(folder, name);
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  const { code, printed, complaints } = await runOps('sources', 'check', file, ...options);
  return { code, printed, complaints: complaints.join('\n') };
}

describe('sources check', () => {
  it('finds nothing in valid rows and envelopes', async () => {
    const envelope = { op: 'c', after: momentum, source: { ts_ms: 1, lsn: 1 } };
    const { code, printed } = await check('seen.artist_momentum.ndjson.gz', [momentum, '', envelope]);
    expect({ code, last: printed.at(-1) }).toEqual({ code: 0, last: 'all 2 lines match their contract' });
  });

  it('names line, key, field, reason and fix of every violation, and fails', async () => {
    const { code, printed, complaints } = await check('seen.artist_momentum.ndjson', [
      momentum,
      { ...momentum, emergence_tier: 'huge', events_recent: 'many', as_of: null },
      'no json',
    ]);
    expect(code).toBe(1);
    expect(complaints).toBe('2 of 3 lines break their contract');
    expect(printed.map((line) => line.split('\t'))).toEqual([
      ['line', 'key', 'field', 'reason', 'fix'],
      ['2', CLUSTER, 'emergence_tier', 'not_in_list', 'write one of breakout, rising, climbing, steady'],
      ['2', CLUSTER, 'events_recent', 'not_int', 'write a whole number'],
      ['2', CLUSTER, 'as_of', 'null_not_allowed', 'write a value: the column is not nullable'],
      ['3', '', 'value', 'not_a_row', expect.stringContaining('one JSON object a line')],
    ]);
  });

  it('reads a file of change events by their topics', async () => {
    const event = {
      key: { cluster_id: CLUSTER },
      value: { op: 'u', after: momentum, source: { ts_ms: 1, lsn: 1 } },
    };
    const { printed } = await check('changes.ndjson', [
      { topic: 'producers.seen.artist_momentum', ...event },
      { topic: 'producers.seen.unheard_of', ...event },
    ]);
    expect(printed.slice(1).map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['2', '', 'topic', 'unknown_table'],
    ]);
    const others = await check(
      'changes.ndjson',
      [{ topic: 'ours.seen.artist_momentum', ...event }],
      '--prefix',
      'ours',
    );
    expect(others.code).toBe(0);
    const unstated = await check('changes.ndjson', [{ topic: 'ours.seen.artist_momentum', ...event }]);
    expect(unstated.printed.at(-1)).toMatch(/\tunknown_table\t.*--prefix$/);
  });

  it('says what each part of an envelope lacks', async () => {
    const source = { ts_ms: 1, lsn: 1 };
    const mysql = { ts_ms: 1, connector: 'mysql' };
    const mongodb = { ts_ms: 1, connector: 'mongodb' };
    const { printed } = await check('seen.artist_momentum.ndjson', [
      { op: 'c', after: null, source },
      { op: 'u', after: momentum, source: mysql },
      { op: 'u', after: '{"_id": NaN}', source: mongodb },
    ]);
    expect(printed.slice(1).map((line) => line.split('\t').slice(2))).toEqual([
      ['after', 'missing', 'write the row in after: only a delete and a truncate have none'],
      ['source', 'not_an_envelope', expect.stringContaining('source.file, pos and row of MySQL')],
      ['after', 'not_json', expect.stringContaining('NaN')],
    ]);
  });

  it('takes the table from an option if the file is not named after it', async () => {
    expect((await check('rows.ndjson', [momentum])).code).toBe(2);
    expect((await check('rows.ndjson', [momentum], '--source', 'seen.artist_momentum')).code).toBe(0);
    expect((await check('rows.ndjson', [momentum], '--source', 'seen.nothing')).complaints).toContain(
      'No source',
    );
    expect((await check('seen.nothing.ndjson', [momentum])).complaints).toContain('no source');
  });

  it('reads CSV, whose records it numbers without the header', async () => {
    const header = Object.keys(momentum).join(',');
    const cells = Object.values(momentum).join(',');
    const sound = await check('seen.artist_momentum.csv', [header, cells, '', cells]);
    expect({ code: sound.code, last: sound.printed.at(-1) }).toEqual({
      code: 0,
      last: 'all 2 records match their contract',
    });
    const { code, printed, complaints } = await check('seen.artist_momentum.csv.gz', [
      header,
      cells.replace('rising', '""'),
      cells.replace('rising', ''),
      `${cells},more`,
    ]);
    expect({ code, complaints }).toEqual({ code: 1, complaints: '3 of 3 records break their contract' });
    expect(printed.slice(1).map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['1', CLUSTER, 'emergence_tier', 'not_in_list'],
      ['2', CLUSTER, 'emergence_tier', 'null_not_allowed'],
      ['3', '', 'value', 'not_a_row'],
    ]);
    const named = await check('rows.csv', [header, cells], '--source', 'seen.artist_momentum');
    expect(named.code).toBe(0);
    const broken = await check('seen.artist_momentum.csv', [header, `"${cells}`]);
    expect(broken.complaints).toContain('seen.artist_momentum.csv cannot be read: Quote Not Closed');
  });

  it('finds rows that hold too much outside their contract', async () => {
    const wide = { ...momentum, notes: 'x'.repeat(65_536), more: 1 };
    const { code, printed } = await check('seen.artist_momentum.ndjson', [momentum, wide]);
    expect(code).toBe(1);
    expect(printed.slice(1).map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['2', CLUSTER, 'notes', 'extras_too_large'],
    ]);
  });

  it('names a file that does not exist', async () => {
    const { code, complaints } = await runOps('sources', 'check', '/nowhere.ndjson');
    expect(code).toBe(2);
    expect(complaints.join()).toContain('error: there is no file /nowhere.ndjson\n');
  });
});
