export interface Pair<A, B> {
  readonly ceilings: readonly A[];
  readonly subjects: readonly B[];
}

/** Measures ceiling and subject by turns, so that what else the machine does hits both; the more so the more rounds. */
export async function interleave<A, B>(
  rounds: number,
  measureCeiling: (round: number) => Promise<A>,
  measureSubject: (round: number) => Promise<B>,
): Promise<Pair<A, B>> {
  const ceilings: A[] = [];
  const subjects: B[] = [];
  for (let round = 0; round < rounds; round++) {
    ceilings.push(await measureCeiling(round));
    subjects.push(await measureSubject(round));
  }
  return { ceilings, subjects };
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
