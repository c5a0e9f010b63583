import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { cacheFolder } from './cache-folder.ts';
import { installSchemathesis } from './install-schemathesis.ts';
import { serveSample } from './serve-sample.ts';

const CONFIG = fileURLToPath(new URL('./schemathesis.toml', import.meta.url));
const HOOKS = fileURLToPath(new URL('./hooks.py', import.meta.url));

const readOptions = () =>
  new Command('npm run test:fuzz --')
    .description(
      'Send the service requests that its OpenAPI document allows, and others, and compare every response with the document.',
    )
    .option('--examples <n>', 'requests of each kind to each operation', '200')
    .option('--seed <n>', 'repeat the run that printed this seed (default: random)')
    .option(
      '--phases <list>',
      'some of examples, coverage, fuzzing, stateful',
      'examples,coverage,fuzzing,stateful',
    )
    .option('--only <operation>', 'only the operation of this name')
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse()
    .opts();

async function fuzz({ examples, phases, only, ...given }: ReturnType<typeof readOptions>): Promise<number> {
  const seed = given.seed ?? String(Math.trunc(Math.random() * 2 ** 31));
  const schemathesis = await installSchemathesis();
  const service = await serveSample();
  try {
    process.stderr.write(`seed ${seed}\n`);
    const run = [
      ...['--config-file', CONFIG, 'run', `${service.url}/api/v2/openapi.json`],
      ...['--phases', phases, '--max-examples', examples, '--seed', seed, '--workers', '1'],
      ...(only === undefined ? [] : ['--include-operation-id', only]),
    ];
    const child = spawn(schemathesis, run, {
      stdio: ['ignore', 'inherit', 'inherit'],
      // Where it keeps what it found, to replay it.
      cwd: cacheFolder(),
      env: { ...process.env, FUZZ_KEY: service.key, SCHEMATHESIS_HOOKS: HOOKS, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await service.stop();
  }
}

try {
  process.exitCode = await fuzz(readOptions());
} catch (error) {
  process.stderr.write(`the service cannot be fuzzed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
