export interface Pair<A, B> {
  readonly ceilings: readonly A[];
  readonly subjects: readonly B[];
}

const ROUNDS = 2;

/** Measures ceiling and subject by turns, so that what else the machine does hits both. */
export async function interleave<A, B>(
  measureCeiling: (round: number) => Promise<A>,
  measureSubject: (round: number) => Promise<B>,
): Promise<Pair<A, B>> {
  const ceilings: A[] = [];
  const subjects: B[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ceilings.push(await measureCeiling(round));
    subjects.push(await measureSubject(round));
  }
  return { ceilings, subjects };
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
