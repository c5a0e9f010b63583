import { interleave } from '../interleave.ts';
import type { BenchOptions } from '../options.ts';
import type { Fairness, FairnessResult } from '../processes/fairness-generator.ts';
import type { Worker } from '../processes/program.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { Subject } from './subjects.ts';

const ROUNDS = 4;
/** More than a standard key may have in flight. */
const GREEDY = 520;
const MODEST = 4;
const MOST_TIMES_IDLE = 3;
const MOST_SHED_PERCENT = 0.1;

interface FairnessStage {
  readonly options: BenchOptions;
  readonly subject: Subject;
  readonly key: string;
  readonly greedyKey: string;
  /** Separate processes, so that the greedy key does not slow down the clock of the modest one. */
  readonly modest: Worker<Fairness, FairnessResult>;
  readonly greedy: Worker<Fairness, FairnessResult>;
}

/** Dossiers of one key while another key is at its limits with the costliest reads, and while it is silent, by turns. */
export async function measureFairness(stage: FairnessStage): Promise<Figure[]> {
  const { options, subject, key, greedyKey, modest, greedy } = stage;
  const { port } = subject;
  const settings = { port, seconds: options.seconds / ROUNDS, artists: options.artists };
  const beModest = (seed: number) =>
    modest.run({ ...settings, key, isGreedy: false, connections: MODEST, seed });
  const taken: Record<string, number> = {};
  await beModest(0);
  const { ceilings, subjects } = await interleave(ROUNDS, beModest, async (seed) => {
    const greed = greedy.run({ ...settings, key: greedyKey, isGreedy: true, connections: GREEDY, seed });
    const result = await beModest(seed);
    for (const [status, count] of Object.entries((await greed).statuses))
      taken[status] = (taken[status] ?? 0) + count;
    return result;
  });
  const p99 = (results: readonly FairnessResult[]): number =>
    percentile(
      results.flatMap(({ latencies }) => Array.from(latencies)),
      0.99,
    );
  const asked = subjects.reduce((sum, { latencies }) => sum + latencies.length, 0);
  const shed = subjects.reduce((sum, { statuses }) => sum + (statuses['503'] ?? 0), 0);
  return [
    {
      name: 'p99 of a key beside a greedy one',
      value: p99(subjects),
      unit: 'ms',
      ceiling: { name: 'the same while the other is silent', value: p99(ceilings) },
      target: { most: MOST_TIMES_IDLE },
      note: `${asked} dossiers; statuses of the greedy key: ${JSON.stringify(taken)}`,
    },
    {
      name: '503s of a key beside a greedy one',
      value: (100 * shed) / asked,
      unit: '%',
      target: { most: MOST_SHED_PERCENT },
    },
  ];
}
