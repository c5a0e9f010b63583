import { getDomain } from 'tldts';
import { describe, expect, it } from 'vitest';
import { forwardingHosts, linkSites, sharedDomains } from './hosts.ts';

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

  it('belongs to a domain that is neither forwarding nor shared', () => {
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
