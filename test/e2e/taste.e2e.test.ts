import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningTasteService, startTasteService } from '../../services/taste/server.ts';
import { coloursOf, overflowOf, type WatchedPage } from '../support/http/browser-page.ts';
import { BROWSER_SETUP_MS, launchChromium } from '../support/services/chromium.ts';
import { withDatabase } from '../support/services/database.ts';
import { clearTaste, RETURN, TASTE_SECRET } from '../support/taste/app.ts';
import { type ConsumerPages, startConsumer } from '../support/taste/consumer.ts';
import { contractWith, TEST_CONSUMERS } from '../support/taste/contract.ts';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};
const SMALL: BrowserContextOptions = { viewport: { width: 320, height: 640 } };
const DARK: BrowserContextOptions = { ...DESKTOP, colorScheme: 'dark' };
const CLUSTER = 'ab'.repeat(32);

const { url: databaseUrl, pool } = withDatabase();
let browser: Browser;
let taste: RunningTasteService;
let consumer: ConsumerPages;
let otherConsumer: ConsumerPages;
let stranger: ConsumerPages;

beforeAll(async () => {
  const tasteUrl = () => taste.url;
  consumer = await startConsumer(tasteUrl);
  otherConsumer = await startConsumer(tasteUrl);
  stranger = await startConsumer(tasteUrl);
  taste = await startTasteService({
    databaseUrl,
    port: 0,
    secret: TASTE_SECRET,
    contract: contractWith(
      { ...TEST_CONSUMERS.app, name: 'Crate Digger', origin: consumer.origin },
      { ...TEST_CONSUMERS.local, origin: otherConsumer.origin },
    ),
    consentsPerMinute: 1_000,
    log: pino({ level: 'silent' }),
  });
  browser = await launchChromium();
}, BROWSER_SETUP_MS);
afterEach(() => clearTaste(pool));
afterAll(async () => {
  await browser?.close();
  await taste?.stop();
  for (const pages of [consumer, otherConsumer, stranger]) await pages?.stop();
});

/** A browser of its own, and what went wrong in it. */
async function startBrowser(options: BrowserContextOptions = DESKTOP): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`));
  return { page, faults, close: () => context.close() };
}

const connectUrl = (service = 'scrobbler', back = `${consumer.origin}/connected?state=s1`): string =>
  `${taste.url}/connect?${new URLSearchParams({ service, return: back })}`;

/** Fills the form in and sends it, as a user with a mouse does. */
async function connect(page: Page, username = 'alice', service = 'scrobbler'): Promise<void> {
  await page.goto(connectUrl(service));
  await page.getByLabel('I agree that Linernotes imports').check();
  await page.getByLabel('Username').fill(username);
  const same = page.getByLabel('I am the same person');
  if ((await same.count()) > 0) await same.check();
  await page.getByRole('button', { name: 'Agree and connect' }).click();
  await page.waitForURL((url) => url.origin !== taste.url);
}

interface Shown {
  readonly exchanged: {
    status: number;
    body: { token: string; sub: string; expires_at: string; scopes: string[] };
  };
  readonly profile: { status: number; body: unknown };
}

async function shownBy(page: Page): Promise<Shown> {
  const result = page.locator('#result');
  await result.filter({ hasText: 'exchanged' }).waitFor();
  return JSON.parse((await result.textContent()) ?? '');
}

const profileOf = (page: Page, token: string): Promise<unknown> =>
  page.evaluate<unknown>(`readProfile(${JSON.stringify(token)})`);

const EMPTY_PROFILE = {
  connected_sources: { scrobbler: true, catalog: false, upload: false },
  connected_source_count: 1,
  resolved_cluster_ids: [],
};

describe('the whole flow in a browser', () => {
  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ] as const)(
    'connects, comes back, exchanges the code and reads the profile on a %s',
    async (screen, options) => {
      const watched = await startBrowser(options);
      const { page } = watched;
      await page.goto(connectUrl());
      expect(await coloursOf(watched, `taste-connect-${screen}`)).toBeGreaterThan(20);
      await connect(page);
      const { exchanged, profile } = await shownBy(page);
      expect(exchanged).toEqual({
        status: 200,
        body: {
          token: expect.stringMatching(/^profile_v1_/),
          sub: expect.stringMatching(/^sub_v1_/),
          expires_at: expect.any(String),
          scopes: ['profile:read'],
        },
      });
      expect(profile).toEqual({ status: 200, body: EMPTY_PROFILE });
      expect(page.url()).toBe(`${consumer.origin}/connected?state=s1`);

      await pool.query(
        `insert into taste.match (account_id, cluster_id, via) select id, $1, 'mbid' from taste.account`,
        [CLUSTER],
      );
      const { token, sub } = exchanged.body;
      expect(await profileOf(page, token)).toEqual({
        status: 200,
        body: { ...EMPTY_PROFILE, resolved_cluster_ids: [CLUSTER] },
      });
      expect(watched.faults).toEqual([]);

      await connect(page, 'alice2', 'catalog');
      const again = await shownBy(page);
      expect(again.exchanged.body.sub).toBe(sub);
      expect(again.profile.body).toMatchObject({ connected_source_count: 2 });
      expect(await page.evaluate<unknown>(`revoke(${JSON.stringify(token)})`)).toEqual({
        status: 204,
        body: null,
      });
      expect(await profileOf(page, token)).toEqual({
        status: 401,
        body: { error: { code: 'token_revoked' } },
      });
      await watched.close();
    },
  );

  it('goes through by keyboard alone, with the focus in sight at each step', async () => {
    const watched = await startBrowser();
    const { page } = watched;
    await page.goto(connectUrl());
    const focused: string[] = [];
    for (let steps = 0; steps < 12; steps++) {
      await page.keyboard.press('Tab');
      const [name, outline] = await page.evaluate<[string, number]>(`(() => {
        const { activeElement: element } = document;
        const name = element.name || element.textContent.trim();
        return [name, parseFloat(getComputedStyle(element).outlineWidth)];
      })()`);
      expect(outline, name).toBeGreaterThanOrEqual(2);
      focused.push(name);
      if (name === 'consent') await page.keyboard.press('Space');
      if (name === 'username') {
        await page.keyboard.type('alice');
        break;
      }
    }
    expect(focused).toEqual(['Skip to content', 'your connections', 'consent', 'username']);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.origin === consumer.origin);
    expect((await shownBy(page)).profile.status).toBe(200);
    await watched.close();
  });

  it('goes through where no script may run', async () => {
    const watched = await startBrowser({ ...PHONE, javaScriptEnabled: false });
    const { page } = watched;
    await connect(page);
    const url = new URL(page.url());
    expect([url.origin, url.pathname, url.searchParams.get('state')]).toEqual([
      consumer.origin,
      '/connected',
      's1',
    ]);
    expect(url.searchParams.get('profile_code')).toMatch(/^[\w-]{43}$/);
    await page.goto(`${taste.url}/connect/status`);
    expect(await page.locator('dd').first().textContent()).toBe('waiting to begin');
    expect(watched.faults).toEqual([]);
    await watched.close();
  });
});

describe('other origins', () => {
  it('learn nothing by a token that they have, and do no harm with it', async () => {
    const watched = await startBrowser();
    const { page } = watched;
    await connect(page);
    const { token } = (await shownBy(page)).exchanged.body;
    for (const { origin } of [stranger, otherConsumer]) {
      await page.goto(`${origin}/connected`);
      expect(await profileOf(page, token)).toEqual({ blocked: 'TypeError' });
      expect(await page.evaluate<unknown>(`revoke(${JSON.stringify(token)})`)).toEqual({
        blocked: 'TypeError',
      });
    }
    await page.goto(`${consumer.origin}/connected`);
    expect(await profileOf(page, token)).toEqual({ status: 200, body: EMPTY_PROFILE });
    await watched.close();
  });

  it('cannot put the page into theirs, nor have its form sent', async () => {
    const watched = await startBrowser();
    const { page } = watched;
    await page.goto(`${stranger.origin}/connected`);
    await page.evaluate(`(() => {
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(connectUrl())};
      document.body.append(frame);
      return new Promise((resolve) => { frame.onload = resolve; });
    })()`);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    expect(await framed?.locator('form').count()).toBe(0);

    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await page.evaluate(`(() => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = '${taste.url}/connect';
      const fields = { service: 'scrobbler', return: '${consumer.origin}/connected', username: 'mallory', consent: 'yes' };
      for (const [name, value] of Object.entries(fields)) {
        const input = document.createElement('input');
        Object.assign(input, { type: 'hidden', name, value });
        form.append(input);
      }
      document.body.append(form);
      form.submit();
    })()`);
    expect((await answered).status()).toBe(403);
    const { rowCount } = await pool.query('select from taste.person');
    expect(rowCount).toBe(0);
    await watched.close();
  });
});

/** Texts on the page whose contrast to what is behind them is below 4.5 to 1. */
const FAINT_TEXTS = `(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const colour = channels(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const element of document.body.querySelectorAll('*')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
    if (text === '') continue;
    const [a, b] = [channels(getComputedStyle(element).color), behind(element)].map(luminance).sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.push(text);
  }
  return faint;
})()`;

/** What can be clicked and is lower than 24 pixels, but for links within a text. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, input:not([type=hidden]), .actions a')]
  .filter((element) => element.getBoundingClientRect().height < 24).map((element) => element.outerHTML)`;

describe('the pages', () => {
  const kinds = ['connect', 'rejected', 'error', 'status', 'contract'] as const;

  async function open(watched: WatchedPage, kind: (typeof kinds)[number]): Promise<void> {
    const { page } = watched;
    if (kind === 'connect') await page.goto(connectUrl('catalog'));
    if (kind === 'rejected') await page.goto(connectUrl('scrobbler', RETURN));
    if (kind === 'contract') await page.goto(`${taste.url}/contracts/v1`);
    if (kind === 'status') {
      await connect(page);
      await shownBy(page);
      await page.goto(`${taste.url}/connect/status`);
    }
    if (kind === 'error') {
      await connect(page);
      await shownBy(page);
      await page.goto(connectUrl());
      await page.getByLabel('I agree that Linernotes imports').check();
      await page.getByLabel('Username').fill('alice@mail.example');
      await page.getByLabel('I am the same person').check();
      await page.getByRole('button', { name: 'Agree and connect' }).click();
      await page.getByRole('alert').waitFor();
    }
  }

  const screens = { desktop: DESKTOP, phone: PHONE, small: SMALL, dark: DARK };
  const cases = Object.entries(screens).flatMap(([screen, options]) =>
    kinds.map((kind) => [kind, screen, options] as const),
  );

  it.each(cases)('are readable and usable: %s, %s', async (kind, screen, options) => {
    const watched = await startBrowser(options);
    await open(watched, kind);
    const { page } = watched;
    expect(await coloursOf(watched, `taste-${kind}-${screen}`)).toBeGreaterThan(20);
    expect(await overflowOf(watched)).toBe(0);
    expect(await page.evaluate<string[]>(FAINT_TEXTS)).toEqual([]);
    expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    // The browser reports the error status of a rejecting page.
    const statusErrors = watched.faults.filter((fault) => /status of (?:400|422)/.test(fault));
    expect(watched.faults).toEqual(statusErrors);
    expect(statusErrors).toHaveLength(kind === 'rejected' || kind === 'error' ? 1 : 0);
    await watched.close();
  });

  it('focus the wrong field, and explain the error', async () => {
    const watched = await startBrowser();
    await open(watched, 'error');
    const { page } = watched;
    const username = page.getByLabel('Username');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('username');
    expect(await username.getAttribute('aria-invalid')).toBe('true');
    const described = await username.getAttribute('aria-describedby');
    const texts = await Promise.all(
      (described ?? '').split(' ').map((id) => page.locator(`#${id}`).textContent()),
    );
    expect(texts.at(-1)).toBe('Enter your username, not an e-mail address.');
    expect(await page.getByLabel('I agree that Linernotes imports').isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Enter your username, not' }).click();
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('username');
    await watched.close();
  });

  it('follow an import to its end, and let a user withdraw', async () => {
    const watched = await startBrowser(PHONE);
    const { page } = watched;
    await connect(page);
    const { token } = (await shownBy(page)).exchanged.body;
    await page.goto(`${taste.url}/connect/status`);
    await pool.query(`update taste.import set state = 'done'`);
    // It looks again by itself.
    await page.locator('dd', { hasText: /^done$/ }).waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Withdraw consent' }).click();
    await page.getByText('Nothing is connected from this browser.').waitFor();
    await page.goto(`${consumer.origin}/connected`);
    expect(await profileOf(page, token)).toEqual({ status: 401, body: { error: { code: 'token_revoked' } } });
    await watched.close();
  });

  it('let a returning user connect as another person', async () => {
    const watched = await startBrowser();
    const { page } = watched;
    await connect(page);
    const { sub } = (await shownBy(page)).exchanged.body;
    await page.goto(connectUrl());
    await page.getByLabel('I agree that Linernotes imports').check();
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('I am somebody else').check();
    await page.getByRole('button', { name: 'Agree and connect' }).click();
    await page.waitForURL((url) => url.origin === consumer.origin);
    expect((await shownBy(page)).exchanged.body.sub).not.toBe(sub);
    await watched.close();
  });
});
