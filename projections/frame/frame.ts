import { createHash } from 'node:crypto';
import { crc32, deflateRawSync, constants as zlib } from 'node:zlib';
import { exchangeDelta, joinCrc, shiftBy } from './crc32.ts';
import { deflateWithHoles, exchangePattern, type Hole } from './deflate.ts';

/**
 * A dossier is stored as a frame: one gzip member, complete but for its last bytes, and a trailer that says
 * how to end it. Serving seals a copy: it flips the `stale` flags of the sources that are stale now, appends
 * `generated_at` as a stored block, and mends the checksum. Nothing is parsed or compressed again.
 *
 *     gzip header | head (zlib, sync-flushed) | provenance (fixed codes, flags exchangeable) | trailer
 *     trailer = flags x { bit offset u32, checksum delta u32, source id u16 } | flags u16 | crc u32 | text length u32
 */

const FRESH = 'false';
/** As long as `false`: JSON allows the space behind a value. */
const STALE = 'true ';
const FLAG_BYTES = 10;
const TRAILER_BYTES = 10;
/** Enough to tell contents apart; nothing secret rests on it. */
const HASH_BYTES = 16;
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Chosen by measurement (`npm run bench -- ingest`): higher levels cost more time than they save bytes. */
const COMPRESSION_LEVEL = 3;

const flagDelta = exchangeDelta(FRESH, STALE);
/** The flip of a flag for each position of its first bit in a byte. */
const FLIPS: readonly Uint8Array[] = Array.from({ length: 8 }, (_, shift) => {
  const flip = new Uint8Array(FRESH.length + 1);
  exchangePattern(FRESH, STALE).forEach((pattern, index) => {
    flip[index] = (flip[index] ?? 0) | ((pattern << shift) & 0xff);
    flip[index + 1] = pattern >> (8 - shift);
  });
  return flip;
});

/** A provenance entry as text, cut before the value of `stale`, and whose staleness it tells. */
interface FlaggedEntry {
  readonly text: string;
  readonly sourceId: number;
}

export interface FrameText {
  /** JSON text from `{` up to and including the comma before `"provenance"`, in UTF-8. */
  readonly head: Buffer;
  readonly provenance: readonly FlaggedEntry[];
}

/** Identifies the content of a dossier: equal text and flags give equal bytes. */
export function frameHash({ head, provenance }: FrameText, more: string): Buffer {
  const hash = createHash('sha1').update(head);
  let flags = '';
  for (const entry of provenance) flags += `${entry.text}${entry.sourceId}`;
  return hash.update(`${flags}\n${more}`).digest().subarray(0, HASH_BYTES);
}

export function encodeFrame({ head, provenance }: FrameText): Buffer {
  let text = '"provenance":[';
  const holes: Hole[] = [];
  // Entries are ASCII, so that characters count as bytes.
  provenance.forEach((entry, index) => {
    if (index > 0) text += ',';
    text += entry.text;
    holes.push({ start: text.length, end: text.length + FRESH.length });
    text += `${FRESH}}`;
  });
  const tailBytes = Buffer.from(`${text}]`, 'latin1');
  const compressed = deflateRawSync(head, {
    level: COMPRESSION_LEVEL,
    finishFlush: zlib.Z_SYNC_FLUSH,
  });
  const block = deflateWithHoles(tailBytes, holes);
  // The stored block that ends the member starts with the bits 1, 00 and goes on at the next whole byte.
  const blockBytes = Buffer.alloc(((block.bits + 3 + 7) >> 3) + 0);
  block.bytes.copy(blockBytes);
  const final = block.bits >> 3;
  blockBytes[final] = (blockBytes[final] ?? 0) | (1 << (block.bits & 7));

  const trailer = Buffer.alloc(provenance.length * FLAG_BYTES + TRAILER_BYTES);
  const blockStart = (GZIP_HEADER.length + compressed.length) * 8;
  let at = 0;
  provenance.forEach((entry, index) => {
    at = trailer.writeUInt32LE(blockStart + (block.holeBits[index] ?? 0), at);
    at = trailer.writeUInt32LE(flagDelta(tailBytes.length - (holes[index]?.end ?? 0)), at);
    at = trailer.writeUInt16LE(entry.sourceId, at);
  });
  at = trailer.writeUInt16LE(provenance.length, at);
  at = trailer.writeUInt32LE(crc32(tailBytes, crc32(head)), at);
  trailer.writeUInt32LE(head.length + tailBytes.length, at);
  return Buffer.concat([GZIP_HEADER, compressed, blockBytes, trailer]);
}

/** The end of a dossier, which is the same for all that are served in one second. */
export interface Seal {
  readonly text: Buffer;
  readonly crc: number;
  readonly shift: number;
  readonly isStale: (sourceId: number) => boolean;
}

/** @param generatedAt ISO instant that the dossiers will carry */
export function prepareSeal(generatedAt: string, isStale: (sourceId: number) => boolean): Seal {
  const text = Buffer.from(`,"generated_at":"${generatedAt}"}`, 'latin1');
  return { text, crc: crc32(text), shift: shiftBy(text.length), isStale };
}

/** The frame as one complete gzip member. The frame itself stays as it is. */
export function sealFrame(frame: Buffer, seal: Seal): Buffer {
  const flags = frame.readUInt16LE(frame.length - TRAILER_BYTES);
  const trailerStart = frame.length - TRAILER_BYTES - flags * FLAG_BYTES;
  const sealed = Buffer.allocUnsafe(trailerStart + 4 + seal.text.length + 8);
  frame.copy(sealed, 0, 0, trailerStart);
  let crc = frame.readUInt32LE(frame.length - 8);
  for (let at = trailerStart; at < frame.length - TRAILER_BYTES; at += FLAG_BYTES) {
    if (!seal.isStale(frame.readUInt16LE(at + 8))) continue;
    flipFlag(sealed, frame.readUInt32LE(at));
    crc ^= frame.readUInt32LE(at + 4);
  }
  let at = sealed.writeUInt16LE(seal.text.length, trailerStart);
  at = sealed.writeUInt16LE(~seal.text.length & 0xffff, at);
  at += seal.text.copy(sealed, at);
  at = sealed.writeUInt32LE(joinCrc(crc >>> 0, seal.crc, seal.shift), at);
  sealed.writeUInt32LE(frame.readUInt32LE(frame.length - 4) + seal.text.length, at);
  return sealed;
}

function flipFlag(bytes: Buffer, bit: number): void {
  const flip = FLIPS[bit & 7];
  if (flip === undefined) return;
  const start = bit >> 3;
  for (let index = 0; index < flip.length; index++) {
    bytes[start + index] = (bytes[start + index] ?? 0) ^ (flip[index] ?? 0);
  }
}
