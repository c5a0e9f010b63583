/** Weight that the parameters of an element such as `gzip;q=0.5` give it; a weight that is none counts as 1. */
export function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const weight = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1];
    if (weight !== undefined) return Math.min(Number(weight), 1);
  }
  return 1;
}

let lastHeader = '';
let lastAnswer = false;

/**
 * Whether an answer should go out as gzip: the client takes it, and does not say that it likes plain bytes better.
 * Without the header a client may be too simple to inflate anything.
 */
export function prefersGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  // Most clients send what the last one sent.
  if (acceptEncoding !== lastHeader) {
    lastAnswer = weighGzip(acceptEncoding);
    lastHeader = acceptEncoding;
  }
  return lastAnswer;
}

/** Weights of the codings that an Accept-Encoding header names, by their names in lower case. */
export function weighCodings(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.split(',')) {
    const [coding = '', ...parameters] = element.split(';');
    const name = coding.trim().toLowerCase();
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters));
  }
  return weights;
}

function weighGzip(acceptEncoding: string): boolean {
  const weights = weighCodings(acceptEncoding);
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}
