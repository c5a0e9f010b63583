import { setTimeout as pause } from 'node:timers/promises';
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
/** The greedy key begins so much earlier, with all of its connections at the same time. */
const LEAD_SECONDS = 1;
const MOST_TIMES_IDLE = 3;
const MOST_SHED_PERCENT = 0.1;

interface FairnessStage {
  readonly options: BenchOptions;
  readonly subject: Subject;
  /** Another process of the service on the same database. */
  readonly other: Subject;
  readonly key: string;
  readonly greedyKey: string;
  /** Separate processes, so that the greedy key does not slow down the clock of the modest one. */
  readonly modest: Worker<Fairness, FairnessResult>;
  readonly greedy: Worker<Fairness, FairnessResult>;
}

/** Where the greedy key sends its requests. */
type Attacked = 'nothing' | 'other' | 'subject';

/**
 * Dossiers of one key while another key is at its limits with the costliest reads, and while it is silent, by turns. What
 * the machine has to do with it shows while the other key attacks another process.
 */
export async function measureFairness(stage: FairnessStage): Promise<Figure[]> {
  const { options, subject, other, key, greedyKey, modest, greedy } = stage;
  const settings = { seconds: options.seconds / ROUNDS, artists: options.artists };
  const taken: Record<string, number> = {};
  const results: Record<Attacked, FairnessResult[]> = { nothing: [], other: [], subject: [] };
  const measure = async (attacked: Attacked, seed: number): Promise<FairnessResult> => {
    const attack =
      attacked === 'nothing'
        ? null
        : greedy.run({
            ...settings,
            seconds: LEAD_SECONDS + settings.seconds,
            port: { other, subject }[attacked].port,
            key: greedyKey,
            isGreedy: true,
            connections: GREEDY,
            seed,
          });
    const [result, attackers] = await Promise.all([
      pause(attack === null ? 0 : LEAD_SECONDS * 1_000).then(() =>
        modest.run({ ...settings, port: subject.port, key, isGreedy: false, connections: MODEST, seed }),
      ),
      attack,
    ]);
    if (attacked === 'subject') addTo(taken, attackers?.statuses ?? {});
    return result;
  };
  for (const attacked of ['nothing', 'other', 'subject'] as const) await measure(attacked, 0);
  for (let round = 1; round <= ROUNDS; round++)
    for (const attacked of ['nothing', 'other', 'subject'] as const)
      results[attacked].push(await measure(attacked, round));
  const statuses: Record<string, number> = {};
  for (const result of results.subject) addTo(statuses, result.statuses);
  const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return [
    {
      name: 'p99 of a key beside a greedy one',
      value: quantile(results.subject, 0.99),
      unit: 'ms',
      ceiling: { name: 'the same while the other is silent', value: quantile(results.nothing, 0.99) },
      target: { most: MOST_TIMES_IDLE },
      note: `${requests} dossiers; ${shapes(results)}; responses to the greedy key: ${JSON.stringify(taken)}`,
    },
    {
      name: '503s of a key beside a greedy one',
      value: (100 * (statuses['503'] ?? 0)) / requests,
      unit: '%',
      target: { most: MOST_SHED_PERCENT },
    },
  ];
}

function addTo(total: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count;
}

const quantile = (results: readonly FairnessResult[], share: number): number =>
  percentile(
    results.flatMap(({ latencies }) => Array.from(latencies)),
    share,
  );

const shapes = (results: Readonly<Record<Attacked, readonly FairnessResult[]>>): string =>
  Object.entries(results)
    .map(
      ([attacked, of]) =>
        `attack on ${attacked}: p50 ${quantile(of, 0.5).toFixed(1)}, p99 ${quantile(of, 0.99).toFixed(1)} ms`,
    )
    .join('; ');
