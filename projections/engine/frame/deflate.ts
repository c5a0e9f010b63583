/**
 * A DEFLATE block with the fixed Huffman codes (RFC 1951, 3.2.6) that writes chosen spans as literals which no match
 * reads, so that they can be exchanged in the compressed bytes. zlib cannot guarantee that.
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
/** The code of each length followed by its extra bits, and their total width. */
const LENGTH_CODE = new Uint16Array(MAX_MATCH + 1);
const LENGTH_WIDTH = new Uint8Array(MAX_MATCH + 1);
for (let length = MIN_MATCH; length <= MAX_MATCH; length++) {
  const at = slot(LENGTH_BASE, length);
  const width = SYMBOL_WIDTH[257 + at] ?? 0;
  const extra = length - (LENGTH_BASE[at] ?? 0);
  LENGTH_CODE[length] = (SYMBOL_CODE[257 + at] ?? 0) | (extra << width);
  LENGTH_WIDTH[length] = width + (LENGTH_EXTRA[at] ?? 0);
}

/** Distances with an entry each in the first table; farther ones use their bits above the seventh. */
const NEAR = 256;
const NEAR_SLOT = Uint8Array.from({ length: NEAR + 1 }, (_, distance) => slot(DISTANCE_BASE, distance));
const FAR_SLOT = Uint8Array.from({ length: WINDOW >> 7 }, (_, part) => slot(DISTANCE_BASE, (part << 7) + 1));

/** The last position of each hash of four bytes, relative to `headsBase`; reused from input to input. */
const heads = new Int32Array(1 << HASH_BITS).fill(-1);
let headsBase = 0;
let headsEnd = 0;
const MAX_POSITION = 2 ** 30;

/** Forgets the previous input: positions below the new base are invalid. */
function startHeads(length: number): void {
  if (headsEnd > MAX_POSITION) {
    heads.fill(-1);
    headsEnd = 0;
  }
  headsBase = headsEnd;
  headsEnd += length;
}

class BitWriter {
  readonly #bytes: Buffer;
  #at = 0;
  /** Bits that are not written yet. */
  #held = 0;
  #heldBits = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  get bits(): number {
    return this.#at * 8 + this.#heldBits;
  }

  /** Up to 16 bits at a time, so that they and the held bits fit an integer. */
  write(value: number, width: number): void {
    this.#held |= value << this.#heldBits;
    this.#heldBits += width;
    if (this.#heldBits < 16) return;
    this.#bytes[this.#at] = this.#held;
    this.#bytes[this.#at + 1] = this.#held >> 8;
    this.#at += 2;
    this.#held >>>= 16;
    this.#heldBits -= 16;
  }

  /** What was written, padded with zero bits to a whole byte. */
  end(): Buffer {
    this.#bytes[this.#at] = this.#held;
    this.#bytes[this.#at + 1] = this.#held >> 8;
    return this.#bytes.subarray(0, (this.bits + 7) >> 3);
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

/**
 * Compresses `input` into one block; `holes` are in ascending order and not adjacent.
 *
 * @param input of which no byte is 0
 */
export function deflateWithHoles(input: Buffer, holes: readonly Hole[]): HoledBlock {
  const writer = new BitWriter(Math.ceil((input.length * 9 + 64) / 8) + 2);
  startHeads(input.length);
  const holeBits: number[] = [];
  // Matches read from this copy and end at holes, because the input has no zero byte.
  const readable = Buffer.from(input);
  for (const { start, end } of holes) for (let at = start; at < end; at++) readable[at] = 0;
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
    const length = from < 0 ? 0 : matchLength(readable, from, input, at, limit);
    if (length < MIN_MATCH) {
      writeSymbol(writer, input[at] ?? 0);
      at++;
      continue;
    }
    writeMatch(writer, length, at - from);
    // Later matches start at the ends of this one; positions within it are not worth recording.
    replaceHead(input, at + 1);
    replaceHead(input, at + length - 2);
    at += length;
  }
  writeSymbol(writer, 256);
  return { bits: writer.bits, bytes: writer.end(), holeBits };
}

/** The number of bytes at `at` that equal those at `from`. */
function matchLength(readable: Buffer, from: number, input: Buffer, at: number, limit: number): number {
  if (at - from > WINDOW) return 0;
  const max = limit - at;
  let length = 0;
  while (length < max && readable[from + length] === input[at + length]) length++;
  return length;
}

function writeMatch(writer: BitWriter, length: number, distance: number): void {
  writer.write(LENGTH_CODE[length] ?? 0, LENGTH_WIDTH[length] ?? 0);
  const at = (distance <= NEAR ? NEAR_SLOT[distance] : FAR_SLOT[(distance - 1) >> 7]) ?? 0;
  writer.write(DISTANCE_CODE[at] ?? 0, 5);
  writer.write(distance - (DISTANCE_BASE[at] ?? 0), DISTANCE_EXTRA[at] ?? 0);
}

function hashAt(input: Buffer, at: number): number {
  const word =
    (input[at] ?? 0) |
    ((input[at + 1] ?? 0) << 8) |
    ((input[at + 2] ?? 0) << 16) |
    ((input[at + 3] ?? 0) << 24);
  return Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
}

/** The last position of the four bytes at `at` by their hash, negative if none. Records `at` as the new one. */
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

/** The bits to XOR over a hole to turn the literals `before` into `after`; both ASCII and of one length. */
export function exchangePattern(before: string, after: string): readonly number[] {
  return Array.from(before, (character, index) => {
    const from = SYMBOL_CODE[character.charCodeAt(0)] ?? 0;
    return from ^ (SYMBOL_CODE[after.charCodeAt(index)] ?? 0);
  });
}
