import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { type Cleanup, collectCleanup } from './cleanup.ts';
import { benchIdentity } from './identity/identity.ts';
import { benchIngest } from './ingest/ingest.ts';
import { type BenchOptions, readOptions, USAGE } from './options.ts';
import { benchPlatform } from './platform/platform.ts';
import { benchRead } from './read/read.ts';
import { benchRebuild } from './rebuild/rebuild.ts';
import { benchRelevance } from './relevance/relevance.ts';
import { type Figure, judge, type Outcome, tableOf } from './report.ts';
import { benchSearch } from './search/search.ts';
import { benchSoak } from './soak/soak.ts';

type Bench = (options: BenchOptions, cleanup: Cleanup) => AsyncIterable<Figure>;

const benches: ReadonlyMap<string, Bench> = new Map([
  ['read', benchRead],
  ['ingest', benchIngest],
  ['rebuild', benchRebuild],
  ['identity', benchIdentity],
  ['search', benchSearch],
  ['relevance', benchRelevance],
  ['platform', benchPlatform],
  ['soak', benchSoak],
]);

function chosen(): { bench: Bench; name: string; options: BenchOptions } {
  try {
    const { bench: name, options } = readOptions(process.argv.slice(2));
    const bench = benches.get(name);
    if (bench === undefined) throw new Error(`there is no benchmark "${name}"`);
    return { bench, name, options };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    process.exit(2);
  }
}

const { bench, name, options } = chosen();
const cleanup = collectCleanup();
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Kept on, for PostgreSQL and Kafka end themselves at once where nobody else listens.
  process.on(signal, () => {
    if (isEnding) return;
    isEnding = true;
    process.stderr.write('\nstopping …\n');
    void cleanup.run().then(() => process.exit(130));
  });
}

const outcomes: Outcome[] = [];
try {
  for await (const figure of bench(options, cleanup)) outcomes.push(judge(figure));
} catch (error) {
  // Whatever was cut short by a signal fails in its own way.
  if (!isEnding) process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}

if (!isEnding) {
  process.stdout.write(
    `\n${name}, ${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores\n\n`,
  );
  process.stdout.write(tableOf(outcomes));
  if (options.json !== null) {
    await writeFile(
      options.json,
      `${JSON.stringify({ bench: name, options, figures: outcomes }, null, 2)}\n`,
    );
  }
  if (outcomes.some(({ isMet }) => isMet === false)) process.exitCode = 1;
}
