/** Codings of responses, the smaller result first. */
const CODINGS = ['br', 'gzip'] as const;
export type ContentCoding = (typeof CODINGS)[number];

/** The coding in which a client prefers a response made for it; null for none. */
export const preferredCoding = remembered(CODINGS);

const gzipOnly = remembered(['gzip']);

/** Whether a client prefers gzip to plain bytes. */
export const prefersGzip = (acceptEncoding: string | undefined): boolean =>
  gzipOnly(acceptEncoding) === 'gzip';

/** Most clients send the header of the client before, so its result is kept. */
function remembered(codings: readonly ContentCoding[]) {
  let lastHeader = '';
  let lastCoding: ContentCoding | null = null;
  return (acceptEncoding: string | undefined): ContentCoding | null => {
    // A client without the header may be too simple to decode anything.
    if (acceptEncoding === undefined) return null;
    if (acceptEncoding !== lastHeader) {
      lastCoding = negotiate(acceptEncoding, codings);
      lastHeader = acceptEncoding;
    }
    return lastCoding;
  };
}

/** The coding of the highest weight, the first of equals. A wildcard stands for gzip: a client that names none may be simple. */
function negotiate(acceptEncoding: string, codings: readonly ContentCoding[]): ContentCoding | null {
  const weights = weighCodings(acceptEncoding);
  let best: ContentCoding | null = null;
  let bestWeight = 0;
  for (const coding of codings) {
    const weight = weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : undefined) ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return bestWeight < (weights.get('identity') ?? 0) ? null : best;
}

/** The weights of the codings in an Accept-Encoding header, by their names in lower case. */
function weighCodings(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.split(',')) {
    const [coding = '', ...parameters] = element.split(';');
    const name = coding.trim().toLowerCase();
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters));
  }
  return weights;
}

/** The weight in the parameters of an element such as `gzip;q=0.5`; an invalid weight counts as 1. */
export function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const weight = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1];
    if (weight !== undefined) return Math.min(Number(weight), 1);
  }
  return 1;
}
