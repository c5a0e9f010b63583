import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';
import { requirePrograms } from './programs.ts';
import { noteService } from './services-used.ts';

/** How long a test waits for its browser, in milliseconds: it may have to be installed first. */
export const BROWSER_SETUP_MS = 300_000;

const pathOf = (program: string): string =>
  execFileSync('/bin/sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim();

/**
 * Starts a browser without a window: the one at `TEST_CHROMIUM`, else Debian's, which is installed where it is missing.
 *
 * @throws Error saying what to install where that cannot be done
 */
export async function launchChromium(): Promise<Browser> {
  const given = process.env.TEST_CHROMIUM;
  if (!given) await requirePrograms({ chromium: 'chromium' }, 'Testing pages in a browser');
  const executablePath = given || pathOf('chromium');
  const browser = await chromium.launch({
    executablePath,
    // In a container root has no sandbox to go into, and what tests load is the project's own.
    chromiumSandbox: process.getuid?.() !== 0,
    // Shared memory of containers is too small for screenshots of long pages.
    args: ['--disable-dev-shm-usage'],
  });
  noteService('Chromium', browser.version(), given ? 'TEST_CHROMIUM' : executablePath);
  return browser;
}
