/**
 * CRC-32 arithmetic over GF(2), reflected as gzip uses it. A CRC is linear in its message, so parts can be
 * joined and bytes exchanged without reading the rest. After Mark Adler's crc32_combine in zlib.
 */

const POLYNOMIAL = 0xedb88320;

/** Product of two residues modulo the CRC polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b;
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1;
  }
  return product >>> 0;
}

/** x^(8 * 2^n) for n = 0..31. */
const POWERS: readonly number[] = (() => {
  const powers = [0x00800000];
  for (let n = 1; n < 32; n++) powers.push(multiply(powers[n - 1] ?? 0, powers[n - 1] ?? 0));
  return powers;
})();

/** The residue of x^(8 * bytes): multiply a CRC by it to move it `bytes` further from the end. */
export function shiftBy(bytes: number): number {
  let residue = 0x80000000;
  for (let n = 0; bytes > 0; n++, bytes >>>= 1) {
    if (bytes & 1) residue = multiply(residue, POWERS[n] ?? 0);
  }
  return residue;
}

/** CRC of two parts from the CRC of each; `secondShift` is `shiftBy` of the second part's length. */
export const joinCrc = (first: number, second: number, secondShift: number): number =>
  (multiply(first, secondShift) ^ second) >>> 0;

/** CRC of the bytes without the usual start and end value: their contribution to a message. */
function linearCrc(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  }
  return crc >>> 0;
}

/** Distances within the provenance of dossiers repeat. */
const MAX_DISTANCES = 1 << 15;

/** What exchanging `before` for `after` (of one length) adds to a CRC, `bytesAfter` before the end of the message. */
export function exchangeDelta(before: string, after: string): (bytesAfter: number) => number {
  const [from, to] = [Buffer.from(before, 'latin1'), Buffer.from(after, 'latin1')];
  const difference = linearCrc(from.map((byte, index) => byte ^ (to[index] ?? 0)));
  // A delta is never zero, so zero means not computed yet.
  const known = new Uint32Array(MAX_DISTANCES);
  return (bytesAfter) => {
    const kept = known[bytesAfter] ?? 0;
    if (kept !== 0) return kept;
    const delta = multiply(difference, shiftBy(bytesAfter));
    // A typed array ignores writes beyond its end.
    known[bytesAfter] = delta;
    return delta;
  };
}
