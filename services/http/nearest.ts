/** A third of the letters may be wrong; a word of two letters or fewer resembles too many others. */
const mayDiffer = (word: string): number => Math.floor(word.length / 3);

/** The known word that a misspelt one most likely means; undefined if none is near. Case does not count. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let found: string | undefined;
  let least = mayDiffer(word) + 1;
  // A longer word is near no known one, and would take long to compare.
  if (word.length > MAX_LENGTH) return undefined;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance >= least) continue;
    least = distance;
    found = candidate;
  }
  return found;
}

const MAX_LENGTH = 60;

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost, swapped));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
