import { afterEach, expect, it, vi } from 'vitest';
import { codeVersion } from '../engine/store/code-version.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

it.each([
  ['', 'https://coverartarchive.org', /^1$/],
  ['https://coverartarchive.org/', 'https://coverartarchive.org', /^1$/],
  ['https://covers.test/mirror/', 'https://covers.test/mirror', /^1\+[0-9a-f]{8}$/],
])('reads the cover archive %j as %s', async (configured, host, version) => {
  vi.stubEnv('COVERARCHIVE_URL', configured);
  const { changedHosts, hosts } = await import('./config.ts');
  expect(hosts.coverarchive).toBe(host);
  expect(codeVersion({ version: 1, settings: changedHosts })).toMatch(version);
});
