import { describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { sources } from '../../../projections/contracts/index.ts';
import { brokenLines } from '../../../test/support/ingest/change-data.ts';
import { parseChangeLine } from '../decode/change-line.ts';
import { decodeRecord } from '../decode/envelope.ts';
import { classOf, UNAVAILABLE } from './dead-letter.ts';

describe('classOf', () => {
  it.each([
    ['topic', 'unknown_table', 'unknown-source'],
    ['value', 'not_an_envelope', 'undecodable'],
    ['value', 'not_a_row', 'undecodable'],
    ['op', 'missing', 'undecodable'],
    ['op', 'unknown_op', 'undecodable'],
    ['after', 'missing', 'undecodable'],
    ['key', 'missing', 'undecodable'],
    ['source', 'not_an_envelope', 'undecodable'],
    ['title', 'missing', 'contract'],
    ['title', 'not_text', 'contract'],
    ['of no contract', 'not_json', 'contract'],
    ['title', UNAVAILABLE, 'incomplete'],
  ])('takes %s: %s as %s', (field, reason, expected) => {
    const source = expected === 'unknown-source' ? null : artistPressMentions;
    expect(classOf(source, [{ field, reason }])).toBe(expected);
  });

  it('is the class of the outermost violation', () => {
    const violations = [
      { field: 'title', reason: 'not_text' },
      { field: 'source', reason: 'not_an_envelope' },
    ];
    expect(classOf(artistPressMentions, violations)).toBe('undecodable');
  });

  it('distinguishes a missing column from a missing part of an envelope', () => {
    const names = sources.flatMap(({ columns }) => Object.keys(columns));
    for (const part of ['op', 'after', 'key']) expect(names).not.toContain(part);
  });

  it('classifies invalid events of every kind', () => {
    const counts: Record<string, number> = {};
    for (const [offset, line] of brokenLines().entries()) {
      const record = parseChangeLine(line, offset);
      const decoded = decodeRecord(record, { prefix: 'producers', epoch: () => 0 });
      if (decoded.kind !== 'rejected') throw new Error(`line ${offset} is not broken`);
      const found = classOf(decoded.source, decoded.violations);
      counts[found] = (counts[found] ?? 0) + 1;
    }
    expect(counts).toEqual({ 'unknown-source': 5, undecodable: 25, contract: 270 });
  });
});
