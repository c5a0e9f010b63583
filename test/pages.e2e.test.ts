import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalogue } from '../services/query/errors.ts';
import { type QueryService, startQueryService } from '../services/query/server.ts';
import { coloursOf, openPage, overflowOf, type WatchedPage } from './browser-page.ts';
import { keyHeader } from './query-app.ts';
import { BROWSER_SETUP_MS, launchChromium } from './services/chromium.ts';
import { withDatabase } from './services/database.ts';

const REFERENCE = '/docs/api';
const PAGES = [REFERENCE, '/docs/migration/v1-to-v2', '/docs/changelog', '/docs/guides/producers'];
const FEWEST_COLOURS = 20;
/** The script of the reference is large, and machines of tests are slow. */
const SLOW_MS = 180_000;

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};
const DARK: BrowserContextOptions = { ...DESKTOP, colorScheme: 'dark' };
const SCREENS = [
  ['desktop', DESKTOP],
  ['phone', PHONE],
  ['dark screen', DARK],
] as const;

const { url: databaseUrl, pool } = withDatabase();
let browser: Browser;
let service: QueryService;

beforeAll(async () => {
  service = await startQueryService({ databaseUrl, port: 0, log: pino({ level: 'silent' }) });
  browser = await launchChromium();
}, BROWSER_SETUP_MS);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const OPERATIONS = '#swagger-ui .opblock';
const USAGE = '#operations-account-getUsage';

/** The reference is there once its script has shown the operations. */
async function open(where: string, options: BrowserContextOptions): Promise<WatchedPage> {
  const watched = await openPage(browser, service.url, where, options);
  const isReference = where.startsWith(REFERENCE) && options.javaScriptEnabled !== false;
  if (isReference) await watched.page.locator(OPERATIONS).first().waitFor();
  return watched;
}

async function authorize(page: Page, key: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  const form = page.locator('.auth-container', { hasText: 'X-API-Key' });
  await form.locator('input').fill(key);
  await form.locator('button[type=submit]').click();
  await page.locator('.auth-btn-wrapper .btn-done').first().click();
}

/** Status that an operation of the reference was answered with when it was tried. */
async function tried(page: Page): Promise<string> {
  await page.locator(`${USAGE} button.execute`).click();
  const status = page.locator(`${USAGE} .live-responses-table .response .response-col_status`);
  return (await status.textContent())?.trim().slice(0, 3) ?? '';
}

const WAIT = { timeout: 30_000, interval: 50 };

const isInView = (page: Page, id: string): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.getElementById('${id}').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);

describe.each(SCREENS)('on a %s', { timeout: SLOW_MS }, (screen, options) => {
  it.each(PAGES)('%s is whole, fits and asks nobody else', async (where) => {
    const watched = await open(where, options);
    expect(await coloursOf(watched, `${screen}${where.replaceAll('/', '-')}`)).toBeGreaterThan(
      FEWEST_COLOURS,
    );
    expect(await overflowOf(watched)).toBe(0);
    expect(await watched.page.locator('h1').allInnerTexts()).toHaveLength(1);
    expect(watched.faults).toEqual([]);
    await watched.close();
  });
});

describe('the reference', { timeout: SLOW_MS }, () => {
  it('shows every operation of the document', async () => {
    const watched = await open(REFERENCE, DESKTOP);
    const { paths } = (await (await fetch(`${service.url}/api/v2/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods));
    expect(await watched.page.locator(OPERATIONS).count()).toBe(operations.length);
    await watched.close();
  });

  it.each(SCREENS.slice(0, 2))(
    'sends a request with a key on a %s, and shows its answer',
    async (screen, options) => {
      const watched = await open(`${REFERENCE}#/account/getUsage`, options);
      const { page } = watched;
      const { 'x-api-key': key } = await keyHeader(pool);
      await page.locator(`${USAGE} button.execute`).waitFor();
      await authorize(page, key);
      expect(await tried(page)).toBe('200');
      expect(await page.locator(`${USAGE} .live-responses-table`).textContent()).toContain(
        '"tier": "standard"',
      );
      expect(await coloursOf(watched, `${screen}-tried`)).toBeGreaterThan(FEWEST_COLOURS);
      expect(watched.faults).toEqual([]);
      // The key goes with the page.
      expect(await page.evaluate<number>('localStorage.length + sessionStorage.length')).toBe(0);
      expect(await page.context().cookies()).toEqual([]);
      await watched.close();
    },
  );

  it('is at the error that an answer refers to', async () => {
    for (const code of ['rate_limited', Object.keys(errorCatalogue).toSorted().at(-1)]) {
      const watched = await open(`${REFERENCE}#error-${code}`, DESKTOP);
      await expect.poll(() => isInView(watched.page, `error-${code}`), WAIT).toBe(true);
      expect(watched.faults).toEqual([]);
      await watched.close();
    }
  });

  it('lists its operations where no script may run', async () => {
    const watched = await open(REFERENCE, { ...DESKTOP, javaScriptEnabled: false });
    expect(await watched.page.locator('noscript tr').count()).toBeGreaterThan(30);
    expect(await watched.page.locator('noscript tr').first().isVisible()).toBe(true);
    await watched.close();
  });
});
