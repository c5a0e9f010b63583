import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A page, and what went wrong on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the page, failed requests, and requests to other hosts than its own. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** Opens a page that may only send requests to `origin`, and waits until none is in flight. */
export async function openWatchedPage(
  browser: Browser,
  origin: string,
  where: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
      faults.push(`elsewhere: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  await page.goto(`${origin}${where}`, { waitUntil: 'networkidle' });
  return { page, faults, close: () => context.close() };
}

/** How many colours a picture of the page has; kept in the folder `SCREENSHOTS` where that is set. */
export async function coloursOf({ page }: WatchedPage, name: string): Promise<number> {
  const picture = await page.screenshot();
  const { SCREENSHOTS: folder } = process.env;
  if (folder) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${name}.png`), picture);
  }
  const blank = await page.context().newPage();
  // As text, for it runs in the browser, whose types are not those of Node.
  const colours = await blank.evaluate<number>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return new Set(new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer)).size;
  })()`);
  await blank.close();
  return colours;
}

/** Pixels that the page is wider than its window. */
export const overflowOf = ({ page }: WatchedPage): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
