import { createHash } from 'node:crypto';
import { crc32, deflateRawSync, constants as zlib } from 'node:zlib';
import { exchangeDelta, joinCrc, shiftBy } from './crc32.ts';
import { deflateWithHoles, exchangePattern, type Hole } from './deflate.ts';

/**
 * A dossier is stored as a frame: one gzip member without its last bytes, and a trailer with what sealing needs. Serving
 * seals a copy: it flips the `stale` flags of stale sources, appends `generated_at` as a stored block, and corrects the
 * checksum. It parses and compresses nothing.
 *
 *     gzip header | head (zlib, sync-flushed) | provenance (fixed codes, flags exchangeable) | trailer
 *     trailer = flags x { bit offset u32, checksum delta u32, source id u16 } | depth u8 | flags u16 | crc u32 | text length u32
 */

const FRESH = 'false';
/** As long as `false`: JSON allows a space after a value. */
const STALE = 'true ';
const FLAG_BYTES = 10;
const TRAILER_BYTES = 11;
/** Enough to identify contents; not for security. */
export const HASH_BYTES = 16;
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Chosen by measurement (`npm run bench -- ingest`): more effort costs more time than it saves bytes. */
const COMPRESSION = { level: 3, windowBits: 14, memLevel: 7, finishFlush: zlib.Z_SYNC_FLUSH };

const flagDelta = exchangeDelta(FRESH, STALE);
/** The XOR pattern of a flag for each position of its first bit in a byte. */
const FLIPS: readonly Uint8Array[] = Array.from({ length: 8 }, (_, shift) => {
  const flip = new Uint8Array(FRESH.length + 1);
  exchangePattern(FRESH, STALE).forEach((pattern, index) => {
    flip[index] = (flip[index] ?? 0) | ((pattern << shift) & 0xff);
    flip[index + 1] = pattern >> (8 - shift);
  });
  return flip;
});

/** The text of a provenance entry up to the value of `stale`, and the source that the flag is about. */
interface FlaggedEntry {
  readonly text: string;
  readonly sourceId: number;
}

export interface FrameText {
  /** JSON text from `{` up to and including the comma before `"provenance"`, in UTF-8. */
  readonly head: Buffer;
  readonly provenance: readonly FlaggedEntry[];
  /** Open objects around the provenance, which all end with it. */
  readonly depth: 1 | 2;
}

/** The parts of a frame before compression. */
export interface FrameParts {
  readonly head: Buffer;
  /** The provenance as JSON text with every flag fresh. */
  readonly tail: Buffer;
  /** The positions of its flags. */
  readonly holes: readonly Hole[];
  /** The source of each flag. */
  readonly sourceIds: readonly number[];
  readonly depth: 1 | 2;
}

export function frameParts({ head, provenance, depth }: FrameText): FrameParts {
  let text = '"provenance":[';
  const holes: Hole[] = [];
  // Entries are ASCII, so characters are bytes.
  provenance.forEach((entry, index) => {
    if (index > 0) text += ',';
    text += entry.text;
    holes.push({ start: text.length, end: text.length + FRESH.length });
    text += `${FRESH}}`;
  });
  return {
    head,
    tail: Buffer.from(`${text}]`, 'latin1'),
    holes,
    sourceIds: provenance.map(({ sourceId }) => sourceId),
    depth,
  };
}

/** Identifies the content of a dossier: equal text and flags give equal bytes. */
export function frameHash({ head, tail, sourceIds }: FrameParts, more: string): Buffer {
  const hash = createHash('sha1').update(head).update(tail);
  return hash.update(`${sourceIds}\n${more}`).digest().subarray(0, HASH_BYTES);
}

export function encodeFrame({ head, tail, holes, sourceIds, depth }: FrameParts): Buffer {
  const compressed = deflateRawSync(head, COMPRESSION);
  const block = deflateWithHoles(tail, holes);
  // The stored block that ends the member starts with the bits 1, 00 and goes on at the next whole byte.
  const blockBytes = Buffer.alloc((block.bits + 3 + 7) >> 3);
  block.bytes.copy(blockBytes);
  const final = block.bits >> 3;
  blockBytes[final] = (blockBytes[final] ?? 0) | (1 << (block.bits & 7));

  const trailer = Buffer.alloc(holes.length * FLAG_BYTES + TRAILER_BYTES);
  const blockStart = (GZIP_HEADER.length + compressed.length) * 8;
  let at = 0;
  holes.forEach((hole, index) => {
    at = trailer.writeUInt32LE(blockStart + (block.holeBits[index] ?? 0), at);
    at = trailer.writeUInt32LE(flagDelta(tail.length - hole.end), at);
    at = trailer.writeUInt16LE(sourceIds[index] ?? 0, at);
  });
  at = trailer.writeUInt8(depth, at);
  at = trailer.writeUInt16LE(holes.length, at);
  at = trailer.writeUInt32LE(crc32(tail, crc32(head)), at);
  trailer.writeUInt32LE(head.length + tail.length, at);
  return Buffer.concat([GZIP_HEADER, compressed, blockBytes, trailer]);
}

/** The end of a dossier, the same for all that are served in one second. */
export interface Seal {
  /** By the number of objects that end. */
  readonly endings: readonly [Ending, Ending];
  readonly isStale: (sourceId: number) => boolean;
}

interface Ending {
  readonly text: Buffer;
  readonly crc: number;
  readonly shift: number;
}

/** @param generatedAt ISO instant for the dossiers */
export function prepareSeal(generatedAt: string, isStale: (sourceId: number) => boolean): Seal {
  return { endings: [endingOf(generatedAt, '}'), endingOf(generatedAt, '}}')], isStale };
}

function endingOf(generatedAt: string, braces: string): Ending {
  const text = Buffer.from(`,"generated_at":"${generatedAt}"${braces}`, 'latin1');
  return { text, crc: crc32(text), shift: shiftBy(text.length) };
}

/** The frame as one complete gzip member, in a copy. */
export function sealFrame(frame: Buffer, seal: Seal): Buffer {
  const ending = seal.endings[frame.readUInt8(frame.length - TRAILER_BYTES) === 1 ? 0 : 1];
  const flags = frame.readUInt16LE(frame.length - TRAILER_BYTES + 1);
  const trailerStart = frame.length - TRAILER_BYTES - flags * FLAG_BYTES;
  const sealed = Buffer.allocUnsafe(trailerStart + 4 + ending.text.length + 8);
  frame.copy(sealed, 0, 0, trailerStart);
  let crc = frame.readUInt32LE(frame.length - 8);
  for (let at = trailerStart; at < frame.length - TRAILER_BYTES; at += FLAG_BYTES) {
    if (!seal.isStale(frame.readUInt16LE(at + 8))) continue;
    flipFlag(sealed, frame.readUInt32LE(at));
    crc ^= frame.readUInt32LE(at + 4);
  }
  let at = sealed.writeUInt16LE(ending.text.length, trailerStart);
  at = sealed.writeUInt16LE(~ending.text.length & 0xffff, at);
  at += ending.text.copy(sealed, at);
  at = sealed.writeUInt32LE(joinCrc(crc >>> 0, ending.crc, ending.shift), at);
  sealed.writeUInt32LE(frame.readUInt32LE(frame.length - 4) + ending.text.length, at);
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
