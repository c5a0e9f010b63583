import { getDomain } from 'tldts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forwardingHosts, linkSites, sharedDomains } from './hosts.ts';

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

describe('a site', () => {
  it.each(Object.entries(linkSites))(
    '%s has registrable domains, and an origin under the first',
    (_name, site) => {
      const { domains, origin, subdomains } = site;
      for (const domain of domains) expect(getDomain(domain)).toBe(domain);
      const host = new URL(origin).hostname;
      expect(origin).toBe(`https://${host}`);
      expect(getDomain(host)).toBe(domains[0]);
      expect(subdomains.test('evil.example')).toBe(site === linkSites.storefront);
    },
  );

  it('is one of a domain, which is neither a forwarding nor a shared one', () => {
    const domains = Object.values(linkSites).flatMap((site) => [...site.domains]);
    expect(new Set(domains).size).toBe(domains.length);
    for (const domain of domains) {
      expect(sharedDomains.has(domain)).toBe(false);
      expect(forwardingHosts).not.toContain(domain);
    }
    for (const domain of sharedDomains) expect(getDomain(domain)).toBe(domain);
    for (const host of forwardingHosts) expect(getDomain(host)).not.toBeNull();
  });
});
