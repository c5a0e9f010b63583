import type { BenchOptions } from '../options.ts';
import type { Overload, OverloadResult } from '../processes/overload-generator.ts';
import type { Worker } from '../processes/program.ts';
import { residentMemory } from '../processes/resources.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { Subject } from './subjects.ts';

/** Times as many clients as it takes to keep the service busy: too many, and more than it lets in at once. */
const TIMES = [4, 20];
const LEAST_GOODPUT = 0.8;
const MOST_SHED_P95_MS = 50;

interface OverloadStage {
  readonly options: BenchOptions;
  readonly key: string;
  readonly subject: Subject;
  readonly flood: Worker<Overload, OverloadResult>;
  /** Answers a second at as many connections as saturate the service. */
  readonly peak: number;
}

/** The service with many more clients than it takes to keep it busy. */
export async function measureOverload(stage: OverloadStage): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const times of TIMES) figures.push(...(await measureTimes(times, stage)));
  return figures;
}

async function measureTimes(
  times: number,
  { options, key, subject, flood, peak }: OverloadStage,
): Promise<Figure[]> {
  const connections = options.connections * times;
  const { seconds, artists } = options;
  const result = await flood.run({ port: subject.port, key, connections, seconds, artists, seed: times });
  const { good, shed, others } = result;
  const figures: Figure[] = [
    {
      name: `goodput, ${connections} connections`,
      value: good.length / result.seconds,
      unit: '/s',
      ceiling: { name: `what ${options.connections} connections get`, value: peak },
      target: { least: LEAST_GOODPUT },
      note: `p99 ${percentile(good, 0.99).toFixed(1)} ms; ${shed.length} shed; memory ${Math.round(residentMemory(subject.pid))} MiB`,
    },
    {
      name: `neither a dossier nor shed, ${connections} connections`,
      value: Object.values(others).reduce((sum, count) => sum + count, 0),
      unit: '',
      target: { most: 0 },
      note: JSON.stringify(others),
    },
  ];
  // Where nobody was turned away everybody was served, which the first figure judges.
  if (shed.length === 0) return figures;
  return [
    ...figures,
    {
      name: `shed requests, ${connections} connections: p95`,
      value: percentile(shed, 0.95),
      unit: 'ms',
      target: { most: MOST_SHED_P95_MS },
    },
  ];
}
