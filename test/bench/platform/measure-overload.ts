import { interleave, mean } from '../interleave.ts';
import type { BenchOptions } from '../options.ts';
import type { Overload, OverloadResult } from '../processes/overload-generator.ts';
import type { Worker } from '../processes/program.ts';
import { residentMemory } from '../processes/resources.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import type { Subject, Subjects } from './subjects.ts';

/** Times as many clients as it takes to keep the service busy. */
const TIMES = 4;
const ROUNDS = 4;
const LEAST_GOODPUT = 0.8;
const MOST_SHED_P95_MS = 50;

interface OverloadStage {
  readonly options: BenchOptions;
  readonly key: string;
  readonly subjects: Subjects;
  readonly flood: Worker<Overload, OverloadResult>;
}

/** The service with many more clients than it takes to keep it busy, and with just as many, by turns. */
export async function measureOverload(stage: OverloadStage): Promise<Figure[]> {
  const { inProcess, bounded } = stage.subjects;
  return [
    ...(await measureSubject('all let in', inProcess, stage)),
    ...(await measureSubject('most turned away', bounded, stage)),
  ];
}

async function measureSubject(
  name: string,
  subject: Subject,
  { options, key, flood }: OverloadStage,
): Promise<Figure[]> {
  const connections = options.connections * TIMES;
  const run = (clients: number, round: number) =>
    flood.run({
      port: subject.port,
      key,
      connections: clients,
      seconds: options.seconds / ROUNDS,
      artists: options.artists,
      seed: round,
    });
  const { ceilings, subjects } = await interleave(
    ROUNDS,
    (round) => run(options.connections, round),
    (round) => run(connections, round),
  );
  const good = subjects.flatMap((result) => Array.from(result.good));
  const shed = subjects.flatMap((result) => Array.from(result.shed));
  const others = subjects.map((result) => result.others);
  const figures: Figure[] = [
    {
      name: `goodput, ${connections} connections, ${name}`,
      value: mean(subjects.map(goodput)),
      unit: '/s',
      ceiling: { name: `what ${options.connections} connections get`, value: mean(ceilings.map(goodput)) },
      target: { least: LEAST_GOODPUT },
      note: `p99 ${percentile(good, 0.99).toFixed(1)} ms; ${shed.length} shed; memory ${Math.round(residentMemory(subject.pid))} MiB`,
    },
    {
      name: `neither a dossier nor shed, ${name}`,
      value: others.flatMap((kinds) => Object.values(kinds)).reduce((sum, count) => sum + count, 0),
      unit: '',
      target: { most: 0 },
      note: JSON.stringify(Object.assign({}, ...others)),
    },
  ];
  // If no request was shed, all were served: the first figure judges that.
  if (shed.length === 0) return figures;
  return [
    ...figures,
    {
      name: `shed requests, ${name}: p95`,
      value: percentile(shed, 0.95),
      unit: 'ms',
      target: { most: MOST_SHED_P95_MS },
    },
  ];
}

const goodput = ({ good, seconds }: OverloadResult): number => good.length / seconds;
