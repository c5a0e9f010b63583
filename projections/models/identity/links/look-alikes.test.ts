import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkSites, streamingScheme } from '../../shared/hosts.ts';
import { parseLink } from './parse-link.ts';

const RUNS = { numRuns: 1_000 };
const known = Object.values(linkSites).flatMap(({ domains }) => [...domains]);
/** Paths that each known site accepts as an artist, so that only the host can be rejected. */
const paths = [
  '/artist/45-Aphex-Twin',
  '/artist/5e836184-f179-4e27-b96c-9b622a2626d6',
  '/artist/7EQ0qTo7fWT7DPxmxtSYEc',
  '/channel/UC4hfA78X-lqiRERBZLTnLBw',
  '/aphextwin',
  '/dj/aphextwin',
  '/music/Aphex+Twin',
  '',
];
const SOURCES: readonly (string | null)[] = [null, 'website'];

const path = fc.constantFrom(...paths);
const host = fc.constantFrom(...known, ...known.map((domain) => `www.${domain}`), 'aphextwin.bandcamp.com');
const scheme = fc.constantFrom('', 'https://', 'http://', 'HTTPS://', '//');
const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,8}[a-z0-9])?$/);

function expectNoSite(text: string): void {
  const link = parseLink(text);
  expect(SOURCES, text).toContain(link.source);
  expect(link.kind, text).not.toBe('id');
  expect(link.kind, text).not.toBe('page');
}

describe('a host that looks like a known one', () => {
  it.each([
    'https://discogs.com.evil.com/artist/45',
    'https://discogs.com@evil.com/artist/45',
    'https://evil.com@discogs.com/artist/45',
    'https://user:pw@discogs.com/artist/45',
    'https://@discogs.com/artist/45',
    'https://discogs.com:443/artist/45',
    'http://discogs.com:80/artist/45',
    'https://discogs.com:/artist/45',
    'discogs.com:8080/artist/45',
    'https://discogs.com./artist/45',
    'https://discogs..com/artist/45',
    'https://.discogs.com/artist/45',
    'https://discogs%2Ecom/artist/45',
    'https://%64iscogs.com/artist/45',
    'https://discogs。com/artist/45',
    'https://discogs．com/artist/45',
    'https://discogs｡com/artist/45',
    'https://ｄｉｓｃｏｇｓ.com/artist/45',
    'https://disc\u00adogs.com/artist/45',
    'https://disc\u200bogs.com/artist/45',
    'https://d\u0131scogs.com/artist/45',
    'https://dıscogs.com/artist/45',
    'https://diſcogs.com/artist/45',
    'https://disⅽogs.com/artist/45',
    'https://disсogs.com/artist/45',
    'https://xn--disogs-4of.com/artist/45',
    'https://discogs.com\\@evil.com/artist/45',
    'https:\\\\discogs.com\\artist\\45',
    'https://evil.com\\discogs.com/artist/45',
    'https://disc\togs.com/artist/45',
    'https://disc\nogs.com/artist/45',
    'ht\ntps://discogs.com/artist/45',
    'https://discogs.com/art\nist/45',
    'https://discogs.com\u0000/artist/45',
    '\u0001https://discogs.com/artist/45',
    'https://discogs.com/artist/45\u0000',
    'https://discogs.com /artist/45',
    'https://evil.com/discogs.com/artist/45',
    'https://evil.com/?https://discogs.com/artist/45',
    'https://evil.com#https://discogs.com/artist/45',
    'https://evil.com/https://discogs.com/artist/45',
    'https://discogs.co/artist/45',
    'https://discogs.com.br/artist/45',
    'https://wwwdiscogs.com/artist/45',
    'https://notdiscogs.com/artist/45',
    'https://discogs-com.evil.com/artist/45',
    'https://discogs.com-evil.com/artist/45',
    'https%3A%2F%2Fdiscogs.com%0A%2Fartist%2F45',
    'https%3A%2F%2Fdiscogs.com%40evil.com%2Fartist%2F45',
  ])('is not taken for it: %j', expectNoSite);

  it('is not taken for it with any prefix or suffix', () => {
    const affixed = fc.oneof(
      fc.tuple(host, label).map(([of, end]) => `${of}.${end}.com`),
      fc.tuple(host, label).map(([of, end]) => `${of}-${end}.com`),
      fc.tuple(host, label).map(([of, end]) => `${of}${end}.com`),
      fc.tuple(fc.constantFrom(...known), label).map(([of, start]) => `${start}${of}`),
      fc.tuple(fc.constantFrom(...known), label).map(([of, start]) => `${start}-${of}`),
      fc.tuple(host, label).map(([of, end]) => `${end}.com/${of}`),
      fc.tuple(host, label).map(([of, end]) => `${end}.com?${of}`),
      fc.tuple(host, label).map(([of, end]) => `${end}.com#${of}`),
    );
    fc.assert(
      fc.property(scheme, affixed, path, (before, like, rest) => {
        fc.pre(!known.some((domain) => isUnder(like.split(/[/?#]/, 1)[0] ?? '', domain)));
        expectNoSite(before + like + rest);
      }),
      RUNS,
    );
  });

  it('is not recognised if a URL parser would normalise it to a known host', () => {
    const intruder = fc.constantFrom(
      ...'@:\\%\t\n\r\0\u007f\u0085\u2028。．｡\u00ad\u200b\u2060ａ①°'.split(''),
      '.',
      ' ',
    );
    fc.assert(
      fc.property(
        scheme,
        host,
        fc.nat(),
        intruder,
        fc.string({ maxLength: 4 }),
        path,
        (before, of, at, sign, more, rest) => {
          const place = 1 + (at % of.length);
          const disguised = of.slice(0, place) + sign + more + of.slice(place);
          const [read = ''] = disguised.split(/[/?#]/, 1);
          fc.pre(!disguised.startsWith(`${streamingScheme}:`));
          // The text before the sign may itself be a known host; then there is no disguise.
          fc.pre(!known.some((domain) => isUnder(read.toLowerCase(), domain)) && rest !== '');
          expectNoSite(before + disguised + rest);
        },
      ),
      RUNS,
    );
  });
});

describe('a parsed link', () => {
  const pasted = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.tuple(scheme, host, path).map((parts) => parts.join('')),
    fc
      .tuple(scheme, host, path, fc.string({ unit: 'grapheme', maxLength: 20 }))
      .map((parts) => parts.join('')),
    fc
      .tuple(
        fc.constantFrom(
          'https://www.last.fm/music/',
          'https://www.discogs.com/artist/',
          'https://www.youtube.com/@',
          'https://www.youtube.com/user/',
          'https://www.instagram.com/',
          'https://soundcloud.com/',
          'https://vimeo.com/',
          'https://ra.co/dj/',
          'https://',
        ),
        fc.oneof(
          fc.string({ maxLength: 20 }),
          fc.string({ unit: 'grapheme', maxLength: 20 }),
          fc.string({
            unit: fc.constantFrom('a', '4', '.', '!', '?', '+', '%', '2', '5', '/', ' ', '(', ')', '-', '_'),
          }),
        ),
        fc.boolean(),
      )
      .map(([start, rest, isEncoded]) => start + (isEncoded ? encodeURIComponent(rest) : rest)),
  );

  it('is recognised again from its canonical URL', () => {
    fc.assert(
      fc.property(pasted, (text) => {
        const { kind, source, id, canonical_url } = parseLink(text);
        if (canonical_url === null) return;
        expect(parseLink(canonical_url), text).toMatchObject({ kind, source, id, canonical_url });
      }),
      { numRuns: 5_000 },
    );
  });

  it('has a note and candidate names if the artist is uncertain', () => {
    fc.assert(
      fc.property(pasted, (text) => {
        const { kind, names, note } = parseLink(text);
        expect(note === null).toBe(kind === 'id' || kind === 'page');
        for (const name of names) {
          expect(name.trim()).toBe(name);
          expect(name.length).toBeGreaterThan(0);
          expect(name.length).toBeLessThanOrEqual(200);
          expect(name).not.toMatch(/\p{Cc}/u);
          expect(name.isWellFormed()).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

const isUnder = (text: string, domain: string): boolean => text === domain || text.endsWith(`.${domain}`);
