import { Argument, Command, Option } from '@commander-js/extra-typings';
import { wholeNumber } from '../../infra/ops/command.ts';

export interface BenchOptions {
  readonly artists: number;
  readonly recordings: number;
  readonly releaseGroups: number;
  readonly tracks: number;
  /** Of one measurement. */
  readonly seconds: number;
  readonly connections: number;
  readonly events: number;
  readonly minutes: number;
  readonly sweep: boolean;
  /** Rows of the one table that the JDBC sink reads too. */
  readonly sinkEvents: number;
  /** The only stage to measure; null for all. */
  readonly only: Stage | null;
  readonly json: string | null;
  /** Folder for the CPU profiles of the processes that are measured. */
  readonly profiles: string | null;
  readonly seed: number;
}

const BENCHES = ['read', 'ingest', 'rebuild', 'identity', 'search', 'relevance', 'platform', 'soak'] as const;

/** Stages by their benchmark. */
const STAGES = {
  ingest: ['changes', 'load', 'sink'],
  platform: ['costs', 'overload', 'fairness'],
} as const satisfies Partial<Record<BenchName, readonly string[]>>;
type Stage = (typeof STAGES)[keyof typeof STAGES][number];

export type BenchName = (typeof BENCHES)[number];

const NOTES = `
Every figure is a share of a ceiling measured in the same run. PostgreSQL is an embedded one in a temporary folder,
or a database of its own at DATABASE_URL; Kafka is found as the tests find it.`;

const stageNames = Object.entries(STAGES)
  .map(([bench, stages]) => `${bench}: ${stages.join(', ')}`)
  .join('; ');

const count = wholeNumber(1, 999_999_999);

const command = () =>
  new Command('npm run bench --')
    .description('Measure one part of the system.')
    .addArgument(new Argument('<benchmark>', 'part to measure').choices(BENCHES))
    .option('--artists <n>', 'artists in the database', count, 100_000)
    .option('--recordings <n>', 'identity: recordings of all artists together', count, 500_000)
    .option('--tracks <n>', 'identity: tracks to look up by title', count, 5_000_000)
    .option('--release-groups <n>', 'search: release groups in the index', count, 2_500_000)
    .option('--seconds <n>', 'length of one measurement', count, 16)
    .option('--connections <n>', 'concurrent requests', count, 64)
    .option('--minutes <n>', 'soak: how long the load lasts', count, 10)
    .option(
      '--events <n>',
      'change events, rows of the snapshot file, changes in the backlog',
      count,
      200_000,
    )
    .option('--sweep', 'read: measure 10,000, 100,000 and 300,000 artists', false)
    .option('--sink-events <n>', 'ingest: rows of the one table beside the JDBC sink', count, 300_000)
    .addOption(
      new Option('--only <stage>', `measure one stage (${stageNames})`).choices([
        ...STAGES.ingest,
        ...STAGES.platform,
      ]),
    )
    .option('--seed <n>', 'seed of the generated data', count, 1)
    .option('--json <file>', 'write the figures to this file too')
    .option('--cpu-prof <folder>', 'write V8 CPU profiles of the measured processes to this folder')
    .addHelpText('after', NOTES)
    .showHelpAfterError();

const stagesOf = (bench: BenchName): readonly string[] =>
  bench in STAGES ? STAGES[bench as keyof typeof STAGES] : [];

/**
 * @param exit ends the program after it printed its help (code 0) or what is wrong with the arguments (code 2)
 * @param complain prints what is wrong
 */
export function readOptions(
  args: readonly string[],
  exit: (code: number) => never = process.exit,
  complain: (text: string) => void = (text) => process.stderr.write(text),
): { bench: BenchName; options: BenchOptions } {
  const program = command()
    .exitOverride(({ exitCode }) => exit(exitCode === 0 ? 0 : 2))
    .configureOutput({ writeErr: complain })
    .parse(args, { from: 'user' });
  const { json, cpuProf, only, ...counts } = program.opts();
  const bench = program.args[0] as BenchName;
  if (only !== undefined && !stagesOf(bench).includes(only))
    program.error(`error: the benchmark ${bench} has no stage ${only} (${stageNames})`);
  return {
    bench,
    options: { ...counts, only: only ?? null, json: json ?? null, profiles: cpuProf ?? null },
  };
}
