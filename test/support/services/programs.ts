import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function aptInstall(packages: string[]): Promise<void> {
  // In runlevel 1 a package that brings a service along does not start it.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  await run('apt-get', ['update'], { env });
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env });
}

/**
 * Sees to it that programs are there, given with the Debian package each is in. What is missing is installed
 * as root on Debian; elsewhere it is an error that says what to install.
 */
export async function requirePrograms(
  packageOf: Readonly<Record<string, string>>,
  purpose: string,
): Promise<void> {
  const missing = Object.keys(packageOf).filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => packageOf[program] as string);
  if (process.getuid?.() === 0 && isInstalled('apt-get')) return aptInstall(packages);
  throw new Error(`${purpose} needs ${missing.join(' and ')}: apt-get install ${packages.join(' ')}`);
}
