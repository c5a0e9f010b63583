import { countBits, EMPTY, type RankSet, setOf, setOfBits } from './rank-set.ts';

/** First byte of a stored set: varint gaps between ranks, or a bitmap. */
const GAPS = 0;
const BITS = 1;

/**
 * A set of ranks as bytes.
 *
 * @param ranks sorted, each once
 * @param size of the segment
 */
export function encodeRanks(ranks: Uint32Array, size: number): Buffer {
  // A gap takes at least one byte.
  return ranks.length > size / 8 ? encodeBits(ranks, size) : encodeGaps(ranks);
}

function encodeBits(ranks: Uint32Array, size: number): Buffer {
  const bytes = Buffer.alloc(1 + 4 * Math.ceil(size / 32));
  bytes[0] = BITS;
  for (let index = 0; index < ranks.length; index++) {
    const rank = ranks[index] ?? 0;
    const at = 1 + (rank >>> 3);
    bytes[at] = (bytes[at] ?? 0) | (1 << (rank & 7));
  }
  return bytes;
}

const MAX_BYTES_PER_GAP = 5;

function encodeGaps(ranks: Uint32Array): Buffer {
  const bytes = Buffer.allocUnsafe(1 + ranks.length * MAX_BYTES_PER_GAP);
  bytes[0] = GAPS;
  let at = 1;
  let before = -1;
  for (let index = 0; index < ranks.length; index++) {
    const rank = ranks[index] ?? 0;
    let gap = rank - before - 1;
    before = rank;
    while (gap > 127) {
      bytes[at++] = (gap & 127) | 128;
      gap >>>= 7;
    }
    bytes[at++] = gap;
  }
  return Buffer.from(bytes.subarray(0, at));
}

export function decodeRanks(bytes: Buffer, size: number): RankSet {
  if (bytes.length <= 1) return EMPTY;
  if (bytes[0] === BITS) return decodeBits(bytes, size);
  let count = 0;
  for (let at = 1; at < bytes.length; at++) if ((bytes[at] ?? 0) < 128) count++;
  const ranks = new Uint32Array(count);
  let at = 1;
  let before = -1;
  for (let index = 0; index < count; index++) {
    let gap = 0;
    let shift = 0;
    let byte = bytes[at++] ?? 0;
    while (byte > 127) {
      gap |= (byte & 127) << shift;
      shift += 7;
      byte = bytes[at++] ?? 0;
    }
    before += (gap | (byte << shift)) + 1;
    ranks[index] = before;
  }
  return setOf(ranks, size);
}

function decodeBits(bytes: Buffer, size: number): RankSet {
  // Copied: a Uint32Array must start at a multiple of four bytes.
  const bits = new Uint32Array(Uint8Array.from(bytes.subarray(1)).buffer);
  const count = countBits(bits);
  return count > size >>> 5 ? { kind: 'bits', bits, count } : setOfBits(bits, size);
}
