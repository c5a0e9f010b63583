import { Command } from '@commander-js/extra-typings';
import { start } from './start.ts';

const ENVIRONMENT = `
Environment:
  PORT             port of the API (default: 8080)
  TASTE_PORT       port of the taste profiles (default: 8081, or any free port if that is taken)
  LINERNOTES_HOME  folder that keeps the database (default: .linernotes)
  AS_OF            the day (YYYY-MM-DD) of dated read models (default for the sample: 2019-06-30)`;

const { data } = new Command('npm start --')
  .description('Start everything on this machine.')
  .option(
    '--data <folder>',
    'load the <schema>.<table>.ndjson[.gz] and .csv[.gz] files of a folder instead of the bundled sample',
  )
  .addHelpText('after', ENVIRONMENT)
  .showHelpAfterError()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts();

try {
  const system = await start({ dataFolder: data ?? null });
  let isStopping = false;
  void system.databaseEnded.then(() => {
    if (isStopping) return;
    process.stderr.write('\nPostgreSQL has stopped; the next npm start continues with the same data\n');
    process.exit(1);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      process.stderr.write('\nStopping …\n');
      system.stop().then(
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
