import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinCrc, shiftBy } from './crc32.ts';
import { deflateWithHoles } from './deflate.ts';
import { encodeFrame, type FrameText, frameHash, frameParts, prepareSeal, sealFrame } from './frame.ts';

const AT = '2026-11-21T10:00:00Z';

/** JSON members whose text repeats itself, as dossiers do, with characters of every width. */
const members = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,8}$/),
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('present', 'honest_gap'),
    fc.integer(),
    fc.constant(null),
  ),
  { minKeys: 1, maxKeys: 40 },
);
const staleIds = fc.array(fc.integer({ min: 1, max: 71 }));
const entries = fc.array(
  fc.record({
    text: fc
      .tuple(fc.constantFrom('seen', 'catalog', 'mb'), fc.nat(99))
      .map(([owner, n]) => `{"producer":"${owner}","sourceTable":"${owner}.table_${n}","stale":`),
    sourceId: fc.integer({ min: 1, max: 71 }),
  }),
  { maxLength: 60 },
);

describe('a sealed frame', () => {
  it('is one gzip member with the input, the sources that are stale now, and the time', () => {
    fc.assert(
      fc.property(members, entries, staleIds, fc.boolean(), (facets, provenance, ids, isWithin) => {
        const stale = new Set(ids);
        const open = isWithin ? '{"present":true,"master":' : '';
        const head = Buffer.from(`${open}${JSON.stringify(facets).slice(0, -1)},`);
        const frame = encodeFrame(frameParts({ head, provenance, depth: isWithin ? 2 : 1 }));
        const before = Buffer.from(frame);
        const sealed = sealFrame(
          frame,
          prepareSeal(AT, (id) => stale.has(id)),
        );
        const dossier = {
          ...facets,
          provenance: provenance.map(({ text, sourceId }) => ({
            ...JSON.parse(`${text}0}`),
            stale: stale.has(sourceId),
          })),
          generated_at: AT,
        };
        expect(JSON.parse(gunzipSync(sealed).toString())).toEqual(
          isWithin ? { present: true, master: dossier } : dossier,
        );
        expect(frame.equals(before)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('compresses provenance nearly as well as zlib', () => {
    const provenance = Array.from({ length: 45 }, (_, n) => ({
      text: `{"producer":"seen","sourceTable":"seen.table_${n}","refreshCadence":"daily","tier":"derived","honestGapState":"present","refreshedAt":null,"stale":`,
      sourceId: n,
    }));
    const text = provenance.map((entry) => entry.text).join('').length;
    const frame = encodeFrame(frameParts({ head: Buffer.from('{"a":1,'), provenance, depth: 1 }));
    const trailer = 45 * 10 + 10;
    expect(frame.length - trailer).toBeLessThan(text / 5);
  });
});

describe('the hash of a frame', () => {
  const text = {
    head: Buffer.from('{"a":1,'),
    provenance: [{ text: '{"stale":', sourceId: 1 }],
    depth: 1 as const,
  };
  const hashOf = (given: FrameText, more: string): Buffer => frameHash(frameParts(given), more);

  it('changes with head, provenance, sources and every other stored part', () => {
    const hashes = [
      hashOf(text, ''),
      hashOf({ ...text, head: Buffer.from('{"a":2,') }, ''),
      hashOf({ ...text, provenance: [] }, ''),
      hashOf({ ...text, provenance: [{ text: '{"stale":', sourceId: 2 }] }, ''),
      hashOf(text, 'address'),
    ].map((hash) => hash.toString('hex'));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashOf(text, '')).toEqual(hashOf({ ...text, head: Buffer.from(text.head) }, ''));
  });
});

describe('a block with holes', () => {
  it('inflates to its input, and to the replaced input once literals are replaced', () => {
    const chunk = fc.oneof(
      fc.constantFrom('abcabcabc', '","stale":', 'x'.repeat(300)),
      fc.string({ maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 30 }), (chunks) => {
        let text = '';
        const holes = chunks.map((part) => {
          text += part;
          const start = Buffer.byteLength(text);
          text += 'false';
          return { start, end: start + 5 };
        });
        const input = Buffer.from(text);
        const block = deflateWithHoles(input, holes);
        expect(inflateEnded(block.bytes, block.bits).equals(input)).toBe(true);
        expect(block.holeBits).toHaveLength(holes.length);
      }),
      { numRuns: 300 },
    );
  });

  /** Ends the block with an empty final one. */
  function inflateEnded(bytes: Buffer, bits: number): Buffer {
    const ended = Buffer.alloc(((bits + 3 + 7) >> 3) + 4);
    bytes.copy(ended);
    ended[bits >> 3] = (ended[bits >> 3] ?? 0) | (1 << (bits & 7));
    ended.writeUInt16LE(0xffff, ended.length - 2);
    return inflateRawSync(ended);
  }
});

describe('joined checksums', () => {
  it('are those of the joined bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array({ maxLength: 5_000 }), (first, second) => {
        const joined = joinCrc(crc32(first), crc32(second), shiftBy(second.length));
        expect(joined).toBe(crc32(Buffer.concat([first, second])));
      }),
    );
  });
});
