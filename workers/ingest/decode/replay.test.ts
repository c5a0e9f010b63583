import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import {
  brokenLines,
  changeLines,
  expectedTables,
  sampleLines,
} from '../../../test/support/ingest/change-data.ts';
import { parseChangeLine } from './change-line.ts';
import { type Decoded, decodeRecord, decodeSnapshotLine, type Upsert } from './envelope.ts';
import { jsonText } from './json.ts';
import { completeRow, decoderOf } from './row-decoder.ts';

const context = { prefix: 'producers', epoch: () => 0 };
const SNAPSHOT_MS = Date.UTC(2026, 7, 31);
const expected = expectedTables();

interface Kept {
  readonly row: string | null;
  readonly version: string;
}

/** The tables as a replay leaves them: for each key the newest version, above the newest truncate. */
const tables = new Map<string, Map<string, Kept>>();
const floors = new Map<string, string>();
const kinds: Record<string, number> = {};

function apply(decoded: Decoded): void {
  kinds[decoded.kind] = (kinds[decoded.kind] ?? 0) + 1;
  if (decoded.kind !== 'upsert' && decoded.kind !== 'delete' && decoded.kind !== 'truncate') return;
  const { source, version } = decoded;
  const rows = tables.get(source.table) ?? new Map<string, Kept>();
  tables.set(source.table, rows);
  if (version <= (floors.get(source.table) ?? '')) return;
  if (decoded.kind === 'truncate') {
    floors.set(source.table, version);
    for (const [key, kept] of rows) if (kept.version <= version) rows.delete(key);
    return;
  }
  const kept = rows.get(decoded.key);
  if (kept !== undefined && version <= kept.version) return;
  rows.set(decoded.key, { row: decoded.kind === 'delete' ? null : wholeRow(decoded, kept), version });
}

function wholeRow(upsert: Upsert, kept: Kept | undefined): string {
  const completed = completeRow(upsert, kept?.row ?? null);
  if (completed.missing !== undefined) throw new Error(`${upsert.key} lacks ${completed.missing}`);
  return completed.row;
}

function replayChanges(): void {
  for (const [offset, line] of changeLines().entries())
    apply(decodeRecord(parseChangeLine(line, offset), context));
}

/** Rows by key, the contract's columns alone. */
function contractRows(source: Source): string[] {
  const { parse } = decoderOf(source);
  const rows: { key: unknown[]; text: string }[] = [];
  for (const { row } of tables.get(source.table)?.values() ?? []) {
    if (row === null) continue;
    const members = parse(row) as Record<string, unknown>;
    const known = Object.fromEntries(Object.keys(source.columns).map((name) => [name, members[name]]));
    rows.push({ key: source.key.map((name) => members[name]), text: jsonText(known) ?? '' });
  }
  return rows.sort((one, other) => compareKeys(one.key, other.key)).map(({ text }) => text);
}

function compareKeys(one: readonly unknown[], other: readonly unknown[]): number {
  for (const [index, value] of one.entries()) {
    const against = other[index];
    const order =
      typeof value === 'number'
        ? value - Number(against)
        : Buffer.compare(Buffer.from(String(value)), Buffer.from(String(against)));
    if (order !== 0) return order;
  }
  return 0;
}

function stateOfTables() {
  const state: { row_counts: Record<string, number>; sha256: Record<string, string> } = {
    row_counts: {},
    sha256: {},
  };
  for (const table of Object.keys(expected.row_counts)) {
    const source = sourceByTable.get(table);
    if (source === undefined) throw new Error(`no source ${table}`);
    const rows = contractRows(source);
    state.row_counts[table] = rows.length;
    state.sha256[table] = createHash('sha256')
      .update(rows.map((row) => `${row}\n`).join(''))
      .digest('hex');
  }
  return state;
}

describe('the sample and its change events', () => {
  beforeAll(() => {
    for (const table of Object.keys(expected.row_counts)) {
      const source = sourceByTable.get(table);
      if (source === undefined) continue;
      for (const [offset, value] of sampleLines(table).entries()) {
        const record = { topic: table, key: null, value, headers: {}, offset, timestamp: null };
        apply(decodeSnapshotLine(source, record, { ...context, timeMs: SNAPSHOT_MS }));
      }
    }
    replayChanges();
  });

  it('decode without a violation', () => {
    expect(kinds).toEqual({ upsert: 184_713, delete: 824, tombstone: 810, truncate: 3 });
  });

  it('lead to the expected rows in every table, byte for byte', () => {
    const { row_counts, sha256 } = expected;
    expect(stateOfTables()).toEqual({ row_counts, sha256 });
  });

  it('change nothing when they are repeated', () => {
    const before = stateOfTables();
    replayChanges();
    expect(stateOfTables()).toEqual(before);
  });
});

describe('broken events', () => {
  it('are rejected, each with all its violations', () => {
    const found = brokenLines().map((line, offset) => {
      const decoded = decodeRecord(parseChangeLine(line, offset), context);
      return decoded.kind === 'rejected' ? byField(decoded.violations) : decoded.kind;
    });
    expect(found).toEqual(brokenLines().map((line) => byField(JSON.parse(line).violations)));
    expect(found).toHaveLength(300);
  });
});

const byField = (violations: readonly { readonly field: string; readonly reason: string }[]): string[] =>
  violations.map(({ field, reason }) => `${field} ${reason}`).sort();
