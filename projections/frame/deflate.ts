/**
 * A DEFLATE block with the fixed Huffman codes (RFC 1951, 3.2.6) in which chosen spans stand as literals that no
 * match reads, so that they can be exchanged in the finished bytes. zlib gives no such promise.
 */

const MIN_MATCH = 4;
const MAX_MATCH = 258;
const WINDOW = 32_768;
const HASH_BITS = 12;

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
  6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_EXTRA = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];

function reverseBits(code: number, width: number): number {
  let reversed = 0;
  for (let bit = 0; bit < width; bit++) reversed |= ((code >> bit) & 1) << (width - 1 - bit);
  return reversed;
}

const SYMBOL_WIDTH = new Uint8Array(288);
const SYMBOL_CODE = new Uint16Array(288);
for (let symbol = 0; symbol < 288; symbol++) {
  const [width, code] =
    symbol < 144
      ? [8, 0x30 + symbol]
      : symbol < 256
        ? [9, 0x190 + symbol - 144]
        : symbol < 280
          ? [7, symbol - 256]
          : [8, 0xc0 + symbol - 280];
  SYMBOL_WIDTH[symbol] = width;
  SYMBOL_CODE[symbol] = reverseBits(code, width);
}
const DISTANCE_CODE = Uint8Array.from({ length: 30 }, (_, code) => reverseBits(code, 5));

/** Index of the last base that is not above `value`. */
function slot(bases: readonly number[], value: number): number {
  let low = 0;
  let high = bases.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((bases[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
const LENGTH_SLOT = Uint8Array.from({ length: MAX_MATCH + 1 }, (_, length) => slot(LENGTH_BASE, length));

/** Where the hash of four bytes stood last; kept from one input to the next, counted from `headsBase`. */
const heads = new Int32Array(1 << HASH_BITS).fill(-1);
let headsBase = 0;
let headsEnd = 0;
const MOST_POSITION = 2 ** 30;

/** Forgets the input before: whatever stands below the new base stands nowhere. */
function startHeads(length: number): void {
  if (headsEnd > MOST_POSITION) {
    heads.fill(-1);
    headsEnd = 0;
  }
  headsBase = headsEnd;
  headsEnd += length;
}

class BitWriter {
  readonly bytes: Buffer;
  bits = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.alloc(capacity);
  }

  /** Up to 16 bits at a time, so that value and shift fit an integer. */
  write(value: number, width: number): void {
    const at = this.bits >> 3;
    const shifted = value << (this.bits & 7);
    this.bytes[at] = (this.bytes[at] ?? 0) | (shifted & 0xff);
    this.bytes[at + 1] = (shifted >> 8) & 0xff;
    this.bytes[at + 2] = shifted >> 16;
    this.bits += width;
  }
}

/** A span of the input that must stay exchangeable: ASCII, from `start` up to but not including `end`. */
export interface Hole {
  readonly start: number;
  readonly end: number;
}

export interface HoledBlock {
  /** The block, not final, padded with zero bits to a whole byte. */
  readonly bytes: Buffer;
  /** Bits in use. */
  readonly bits: number;
  /** Where each hole's first literal starts, in bits from the start of the block. */
  readonly holeBits: readonly number[];
}

/** Compresses `input` into one block; `holes` are in ascending order and do not touch each other. */
export function deflateWithHoles(input: Buffer, holes: readonly Hole[]): HoledBlock {
  const writer = new BitWriter(Math.ceil((input.length * 9 + 64) / 8) + 2);
  startHeads(input.length);
  const holeBits: number[] = [];
  let hole = 0;
  writer.write(0b010, 3);
  for (let at = 0; at < input.length; ) {
    const current = holes[hole];
    if (current !== undefined && at === current.start) {
      holeBits.push(writer.bits);
      for (; at < current.end; at++) writeSymbol(writer, input[at] ?? 0);
      hole++;
      continue;
    }
    const limit = Math.min(current?.start ?? input.length, at + MAX_MATCH);
    const from = replaceHead(input, at);
    const length = from < 0 ? 0 : matchAt(input, at, limit, from, writer, holes, hole);
    if (length === 0) {
      writeSymbol(writer, input[at] ?? 0);
      at++;
      continue;
    }
    // Within a long match nothing new is to be learned; its ends are where later ones start.
    replaceHead(input, at + 1);
    replaceHead(input, at + length - 2);
    at += length;
  }
  writeSymbol(writer, 256);
  return {
    bytes: writer.bytes.subarray(0, (writer.bits + 7) >> 3),
    bits: writer.bits,
    holeBits,
  };
}

/** Writes a match for the input at `at` where an earlier one serves, and returns its length; else 0. */
function matchAt(
  input: Buffer,
  at: number,
  limit: number,
  from: number,
  writer: BitWriter,
  holes: readonly Hole[],
  nextHole: number,
): number {
  if (limit - at < MIN_MATCH || at - from > WINDOW) return 0;
  const most = Math.min(limit - at, bytesToHole(from, holes, nextHole));
  let length = 0;
  while (length < most && input[from + length] === input[at + length]) length++;
  if (length < MIN_MATCH) return 0;
  const lengthSlot = LENGTH_SLOT[length] ?? 0;
  writeSymbol(writer, 257 + lengthSlot);
  writer.write(length - (LENGTH_BASE[lengthSlot] ?? 0), LENGTH_EXTRA[lengthSlot] ?? 0);
  const distance = at - from;
  const distanceSlot = slot(DISTANCE_BASE, distance);
  writer.write(DISTANCE_CODE[distanceSlot] ?? 0, 5);
  writer.write(distance - (DISTANCE_BASE[distanceSlot] ?? 0), DISTANCE_EXTRA[distanceSlot] ?? 0);
  return length;
}

/** How far a match that reads from `from` may go before it would read a hole. */
function bytesToHole(from: number, holes: readonly Hole[], nextHole: number): number {
  let low = 0;
  let high = nextHole;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((holes[middle]?.end ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  const hole = holes[low];
  return hole === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, hole.start - from);
}

function hashAt(input: Buffer, at: number): number {
  const word =
    (input[at] ?? 0) |
    ((input[at + 1] ?? 0) << 8) |
    ((input[at + 2] ?? 0) << 16) |
    ((input[at + 3] ?? 0) << 24);
  return Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
}

/** Where the four bytes at `at` stood last, by their hash; negative where nowhere. They stand here from now on. */
function replaceHead(input: Buffer, at: number): number {
  if (at + MIN_MATCH > input.length) return -1;
  const hash = hashAt(input, at);
  const last = (heads[hash] ?? -1) - headsBase;
  heads[hash] = at + headsBase;
  return last;
}

function writeSymbol(writer: BitWriter, symbol: number): void {
  writer.write(SYMBOL_CODE[symbol] ?? 0, SYMBOL_WIDTH[symbol] ?? 0);
}

/** What to XOR over a hole's bits to turn the literals `before` into `after`; both ASCII and of one length. */
export function exchangePattern(before: string, after: string): readonly number[] {
  return Array.from(before, (character, index) => {
    const from = SYMBOL_CODE[character.charCodeAt(0)] ?? 0;
    return from ^ (SYMBOL_CODE[after.charCodeAt(index)] ?? 0);
  });
}
