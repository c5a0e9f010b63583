import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { type Cleanup, collectCleanup } from './cleanup.ts';
import { benchIdentity } from './identity/identity.ts';
import { benchIngest } from './ingest/ingest.ts';
import { type BenchName, type BenchOptions, readOptions } from './options.ts';
import { benchPlatform } from './platform/platform.ts';
import { benchRead } from './read/read.ts';
import { benchRebuild } from './rebuild/rebuild.ts';
import { benchRelevance } from './relevance/relevance.ts';
import { type Figure, formatTable, judge, type Outcome } from './report.ts';
import { benchSearch } from './search/search.ts';
import { benchSoak } from './soak/soak.ts';

type Bench = (options: BenchOptions, cleanup: Cleanup) => AsyncIterable<Figure>;

const benches: Readonly<Record<BenchName, Bench>> = {
  read: benchRead,
  ingest: benchIngest,
  rebuild: benchRebuild,
  identity: benchIdentity,
  search: benchSearch,
  relevance: benchRelevance,
  platform: benchPlatform,
  soak: benchSoak,
};

const { bench: name, options } = readOptions(process.argv.slice(2));
const bench = benches[name];
const cleanup = collectCleanup();
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Without another listener, PostgreSQL and Kafka would end the process on the first signal.
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
  // A signal makes the running measurement fail.
  if (!isEnding) process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}

if (!isEnding) {
  process.stdout.write(
    `\n${name}, ${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores\n\n`,
  );
  process.stdout.write(formatTable(outcomes));
  if (options.json !== null) {
    await writeFile(
      options.json,
      `${JSON.stringify({ bench: name, options, figures: outcomes }, null, 2)}\n`,
    );
  }
  if (outcomes.some(({ isMet }) => isMet === false)) process.exitCode = 1;
}
