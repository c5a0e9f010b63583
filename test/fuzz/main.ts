import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheFolder } from './cache-folder.ts';
import { installSchemathesis } from './install-schemathesis.ts';
import { serveSample } from './serve-sample.ts';

const USAGE = `Usage: npm run test:fuzz -- [--examples N] [--seed N] [--phases LIST] [--only OPERATION]

Asks the service what its description allows, and what it does not, and holds every answer against the description.

  --examples N       requests of each kind to each operation, 200 without it
  --seed N           repeats a run, which says its seed
  --phases LIST      of examples, coverage, fuzzing and stateful; all without it
  --only OPERATION   only the operation of this name`;

const CONFIG = fileURLToPath(new URL('./schemathesis.toml', import.meta.url));
const HOOKS = fileURLToPath(new URL('./hooks.py', import.meta.url));

function readOptions() {
  try {
    return parseArgs({
      options: {
        examples: { type: 'string', default: '200' },
        seed: { type: 'string', default: String(Math.trunc(Math.random() * 2 ** 31)) },
        phases: { type: 'string', default: 'examples,coverage,fuzzing,stateful' },
        only: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    process.exit(2);
  }
}

async function fuzz({ examples, seed, phases, only }: ReturnType<typeof readOptions>): Promise<number> {
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

const options = readOptions();
if (options.help) process.stdout.write(`${USAGE}\n`);
else {
  try {
    process.exitCode = await fuzz(options);
  } catch (error) {
    process.stderr.write(`the service cannot be fuzzed: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
