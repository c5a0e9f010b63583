import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

it.each([
  ['', 'https://coverartarchive.org'],
  ['https://covers.test/mirror/', 'https://covers.test/mirror'],
])('takes the cover archive %j as %s', async (configured, host) => {
  vi.stubEnv('COVERARCHIVE_URL', configured);
  const { hosts } = await import('./hosts.ts');
  expect(hosts.coverarchive).toBe(host);
});
