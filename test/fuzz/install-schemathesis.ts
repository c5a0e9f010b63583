import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { requirePrograms } from '../support/services/programs.ts';
import { cacheFolder } from './cache-folder.ts';

const run = promisify(execFile);

const VERSION = '4.32.5';

/** Path of Schemathesis, which is installed into the user's cache on first use, apart from all other Python. */
export async function installSchemathesis(): Promise<string> {
  const home = path.join(cacheFolder(), `schemathesis-${VERSION}`);
  const program = path.join(home, 'bin', 'schemathesis');
  const complete = path.join(home, 'complete');
  if (existsSync(complete)) return program;
  await requirePrograms({ python3: 'python3-venv' }, 'Fuzzing the service');
  process.stderr.write('Installing Schemathesis (once) …\n');
  await rm(home, { recursive: true, force: true });
  await mkdir(cacheFolder(), { recursive: true });
  try {
    await run('python3', ['-m', 'venv', home]);
    await run(path.join(home, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${VERSION}`]);
  } catch (cause) {
    throw new Error(`Schemathesis ${VERSION} could not be installed: ${(cause as Error).message}`, { cause });
  }
  await writeFile(complete, '');
  return program;
}
