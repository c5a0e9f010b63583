import { parseArgs } from 'node:util';
import { start } from './start.ts';

const USAGE = `Usage: npm start -- [--data FOLDER]

  --data FOLDER   load the <schema>.<table>.ndjson[.gz] and .csv[.gz] files of a folder instead of the bundled sample

  PORT             port of the API, 8080 without one
  TASTE_PORT       port of the taste profiles, 8081 without one, or any where that is taken
  LINERNOTES_HOME  folder that keeps the database, .linernotes without one
  AS_OF            the day (YYYY-MM-DD) that dated read models are computed for; the sample's is 2019-06-30`;

function readOptions() {
  try {
    return parseArgs({
      options: {
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    process.exit(2);
  }
}

const options = readOptions();
if (options.help) {
  process.stdout.write(`${USAGE}\n`);
} else {
  try {
    const running = await start({ dataFolder: options.data ?? null });
    let isStopping = false;
    void running.databaseEnded.then(() => {
      if (isStopping) return;
      process.stderr.write('\nPostgreSQL has stopped; npm start takes up the same data again\n');
      process.exit(1);
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping) return;
        isStopping = true;
        process.stderr.write('\nStopping …\n');
        running.stop().then(
          () => process.exit(0),
          (error) => {
            process.stderr.write(`${error}\n`);
            process.exit(1);
          },
        );
      });
    }
  } catch (error) {
    process.stderr.write(`linernotes cannot start: ${(error as Error).message}\n`);
    process.exit(1);
  }
}
