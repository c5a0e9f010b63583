import { weighCodings } from '../serving/accept-encoding.ts';

export type ContentCoding = 'br' | 'gzip';

let lastHeader = '';
let lastCoding: ContentCoding | null = null;

/**
 * The coding that an answer should go out in: the one that the client likes best, of two that it likes as well the one that
 * makes less of it; null for none. Brotli is for who names it: who takes anything may be simple.
 */
export function preferredCoding(acceptEncoding: string | undefined): ContentCoding | null {
  if (acceptEncoding === undefined) return null;
  // Most clients send what the last one sent.
  if (acceptEncoding !== lastHeader) {
    lastCoding = choose(acceptEncoding);
    lastHeader = acceptEncoding;
  }
  return lastCoding;
}

function choose(acceptEncoding: string): ContentCoding | null {
  const weights = weighCodings(acceptEncoding);
  const brotli = weights.get('br') ?? 0;
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  const best = Math.max(brotli, gzip);
  if (best === 0 || best < (weights.get('identity') ?? 0)) return null;
  return brotli === best ? 'br' : 'gzip';
}
