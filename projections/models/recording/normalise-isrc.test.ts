import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseIsrc } from './normalise-isrc.ts';

describe('an ISRC', () => {
  it.each([
    ['GBAYE6800011', 'GBAYE6800011'],
    ['gb-aye-68-00011', 'GBAYE6800011'],
    [' GB AYE 68 00011\t', 'GBAYE6800011'],
    ['GB\u2010AYE\u201368\u201400011', 'GBAYE6800011'],
    ['GB\u00a0AYE\u00a068\u00a000011', 'GBAYE6800011'],
    ['ISRC GB-AYE-68-00011', 'GBAYE6800011'],
    ['isrc:gbaye6800011', 'GBAYE6800011'],
    ['ISRC-GBAYE6800011', 'GBAYE6800011'],
    ['I S R C GBAYE6800011', 'GBAYE6800011'],
    ['USS1Z9900001', 'USS1Z9900001'],
    ['US1239900001', 'US1239900001'],
    // Iceland, and a registrant that begins with RC.
    ['ISRC11712345', 'ISRC11712345'],
    ['IS-RC1-17-12345', 'ISRC11712345'],
    ['ISRC IS-RC1-17-12345', 'ISRC11712345'],
  ])('is read from %j', (text, isrc) => {
    expect(normaliseIsrc(text)).toBe(isrc);
  });

  it.each([
    '',
    'ISRC',
    '------------',
    'GBAYE680001',
    'GBAYE68000111',
    'G1AYE6800011',
    '12AYE6800011',
    'GBA_E6800011',
    'GBAYE68O0011',
    'GBAYE68000 1 x',
    'GB/AYE/68/00011',
    'GBAYE6800011\0',
    'GB.AYE.68.00011',
    'ISRCISRCGBAYE6800011',
    'ISRC::GBAYE6800011',
    'ＧＢAYE6800011',
    'gbaye680001١',
    'gb\u0131ye6800011',
    'gb\u017fye6800011',
    `GBAYE6800011${' '.repeat(100)}`,
    'T-034.524.680-1',
  ])('is not read from %j', (text) => {
    expect(normaliseIsrc(text)).toBeNull();
  });

  it('is the same in every spelling', () => {
    const written = fc.tuple(
      fc.stringMatching(/^[A-Z]{2}$/),
      fc.stringMatching(/^[A-Z0-9]{3}$/),
      fc.stringMatching(/^[0-9]{2}$/),
      fc.stringMatching(/^[0-9]{5}$/),
    );
    fc.assert(
      fc.property(
        written,
        fc.constantFrom('', '-', ' ', ' - '),
        fc.constantFrom('', 'ISRC', 'isrc: '),
        (parts, by, front) => {
          const isrc = parts.join('');
          expect(normaliseIsrc(front + parts.join(by))).toBe(isrc);
          expect(normaliseIsrc(`${front}${parts.join(by)}`.toLowerCase())).toBe(isrc);
          expect(normaliseIsrc(isrc)).toBe(isrc);
        },
      ),
    );
  });

  it('is well formed or null', () => {
    const text = fc.string({
      unit: fc.constantFrom('I', 'S', 'R', 'C', 'a', '1', '2', '-', ' ', ':'),
      minLength: 12,
      maxLength: 18,
    });
    fc.assert(
      fc.property(text, (written) => {
        expect(normaliseIsrc(written) ?? 'GBAYE6800011').toMatch(/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/);
      }),
    );
  });
});
