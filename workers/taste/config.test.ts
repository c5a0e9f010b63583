import { afterEach, expect, it, vi } from 'vitest';
import { configuredUpstreams, readTasteSettings } from './config.ts';

afterEach(() => vi.unstubAllEnvs());

function settings(env: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(`TASTE_${name}`, value);
  return readTasteSettings();
}

it('configures no service by default', () => {
  expect(settings({})).toEqual({
    scrobbler: null,
    catalog: null,
    maxPages: 500,
    tokenDays: 30,
    importDays: 90,
    personDays: 30,
    unseenDays: 400,
  });
  expect(configuredUpstreams(settings({}))).toEqual([]);
});

it('reads both services with their default rates', () => {
  const both = { CONTACT: 'https://taste.example', CATALOG_URL: 'https://catalog.example/api' };
  const { scrobbler, catalog } = settings({
    ...both,
    SCROBBLER_URL: 'https://listening.example/2.0/',
    SCROBBLER_KIND: 'charts',
    SCROBBLER_KEY: 'key',
  });
  expect(scrobbler).toEqual({
    kind: 'charts',
    url: new URL('https://listening.example/2.0/'),
    key: 'key',
    userAgent: 'Linernotes/1.0 +https://taste.example',
    intervalMs: 500,
  });
  expect(catalog).toMatchObject({ token: null, intervalMs: 2_500 });
  expect(settings({ CATALOG_TOKEN: 'token' }).catalog?.intervalMs).toBeCloseTo(60_000 / 57);
  expect(settings({ CATALOG_PER_MINUTE: '6' }).catalog?.intervalMs).toBe(10_000);
  const statistics = settings({ SCROBBLER_KIND: 'statistics', SCROBBLER_KEY: '' });
  expect(statistics.scrobbler).toMatchObject({ kind: 'statistics', key: null, intervalMs: 1_000 });
  expect(configuredUpstreams(statistics).map(({ service }) => service)).toEqual(['scrobbler', 'catalog']);
});

it('names every missing setting and no secret', () => {
  expect(() =>
    settings({ SCROBBLER_URL: 'https://me:word@listening.example', SCROBBLER_KIND: 'charts' }),
  ).toThrow(
    'setting TASTE_SCROBBLER_URL is not an http or https URL without a username and password\n' +
      'setting TASTE_CONTACT is missing or malformed: a web or e-mail address where services reach you\n' +
      'setting TASTE_SCROBBLER_KEY is missing: a service of the kind charts requires one',
  );
});

it.each([
  [{ SCROBBLER_URL: 'https://a.example', CONTACT: 'a@b.example' }, 'TASTE_SCROBBLER_KIND is missing'],
  [{ CATALOG_URL: 'file:///etc/passwd', CONTACT: 'a@b.example' }, 'TASTE_CATALOG_URL is not an http'],
  [{ CATALOG_URL: 'https://a.example', CONTACT: 'a\nb: c' }, 'TASTE_CONTACT is missing or malformed'],
  [{ SCROBBLER_KIND: 'other' }, 'TASTE_SCROBBLER_KIND'],
  [{ MAX_PAGES: '0' }, 'TASTE_MAX_PAGES'],
])('rejects %j', (env, fault) => {
  expect(() => settings(env)).toThrow(fault);
});
