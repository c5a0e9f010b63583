import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../services/http/errors.ts';
import { type QueryService, startQueryService } from '../../services/query/server.ts';
import { coloursOf, openWatchedPage, overflowOf, type WatchedPage } from '../support/http/browser-page.ts';
import { pollUntil } from '../support/poll.ts';
import { keyHeader } from '../support/query/app.ts';
import { BROWSER_SETUP_MS, launchChromium } from '../support/services/chromium.ts';
import { withDatabase } from '../support/services/database.ts';

const REFERENCE = '/docs/api';
const PAGES = [
  REFERENCE,
  '/docs/migration/v1-to-v2',
  '/docs/changelog',
  '/docs/guides/producers',
  '/docs/guides/operators',
];
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
  const watched = await openWatchedPage(browser, service.url, where, options);
  const isReference = where.startsWith(REFERENCE) && options.javaScriptEnabled !== false;
  if (isReference) await watched.page.locator(OPERATIONS).first().waitFor();
  return watched;
}

/** The field is the first of the page. */
const authorize = (page: Page, key: string): Promise<void> => page.locator('input').first().fill(key);

/** Status that an operation of the reference was answered with when it was tried. */
async function tried(page: Page): Promise<string> {
  await page.locator(`${USAGE} button.execute`).click();
  const status = page.locator(`${USAGE} .live-responses-table .response .response-col_status`);
  return (await status.textContent())?.trim().slice(0, 3) ?? '';
}

const isInView = (page: Page, id: string): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.getElementById('${id}').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);

describe.each(SCREENS)('on a %s', { timeout: SLOW_MS }, (screen, options) => {
  it.each(PAGES)('%s is complete, fits the screen and loads nothing from elsewhere', async (where) => {
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
    'sends a request with a key on a %s, and shows the response',
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

  it('fills nothing into the optional fields of an operation', async () => {
    const watched = await open(`${REFERENCE}#/search/search`, DESKTOP);
    const form = watched.page.locator('#operations-search-search .parameters');
    await form.first().waitFor();
    const filled = await form
      .locator('input')
      .evaluateAll((inputs) => inputs.map((input) => (input as { value?: string }).value).filter(Boolean));
    // Words to search for; then the defaults of the limit and of the wait for a change.
    expect(filled).toEqual(['kid', '50', '5']);
    await watched.close();
  });

  it('scrolls to the error that a response refers to', async () => {
    for (const code of ['rate_limited', Object.keys(errorCatalogue).toSorted().at(-1)]) {
      const watched = await open(`${REFERENCE}#error-${code}`, DESKTOP);
      await pollUntil(() => isInView(watched.page, `error-${code}`), {
        what: `the error ${code} is in view`,
      });
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
