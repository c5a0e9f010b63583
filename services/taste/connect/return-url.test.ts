import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testContract } from '../../../test/support/taste/contract.ts';
import { HOSTILE_RETURN_URLS } from '../../../test/support/taste/hostile-urls.ts';
import { consumersOf } from '../contract/registry.ts';
import { checkReturnUrl, withCode } from './return-url.ts';

const consumers = consumersOf(testContract);
const hrefOf = (text: string): string | null => checkReturnUrl(text, consumers)?.href ?? null;

describe('a return URL', () => {
  it.each([
    'https://app.example/connected',
    'https://app.example/connected/',
    'https://app.example/connected/with/more',
    'https://app.example/connected?state=a%20b%2Fc%3B%25&next=/x//y/../z',
    'https://app.example/connected?',
    'https://app.example/connected?state=caf%C3%A9',
    'https://app.example/a/deeper/path?x=https://evil.example/',
    'https://app.example/connected/%C3%A9t%C3%A9',
    'http://127.0.0.1:8082/anywhere',
    'http://127.0.0.1:8082/',
  ])('of a consumer is accepted unchanged: %s', (text) => {
    expect(hrefOf(text)).toBe(text);
  });

  it('may omit the path if every path is allowed', () => {
    expect(hrefOf('http://127.0.0.1:8082')).toBe('http://127.0.0.1:8082/');
    expect(hrefOf('http://127.0.0.1:8082?state=1')).toBe('http://127.0.0.1:8082/?state=1');
  });

  it('identifies its consumer', () => {
    const nameOf = (text: string) => checkReturnUrl(text, consumers)?.consumer.id;
    expect(nameOf('https://app.example/connected')).toBe('app');
    expect(nameOf('http://127.0.0.1:8082/x')).toBe('local');
  });

  it('is at most 2,048 characters long', () => {
    const long = 'https://app.example/connected?state='.padEnd(2_048, 'a');
    expect(hrefOf(long)).toBe(long);
    expect(hrefOf(`${long}a`)).toBeNull();
  });
});

describe('hostile return URLs', () => {
  it('are at least 120 different ones', () => {
    expect(HOSTILE_RETURN_URLS.length).toBeGreaterThanOrEqual(120);
    expect(new Set(HOSTILE_RETURN_URLS.map(([, text]) => text)).size).toBe(HOSTILE_RETURN_URLS.length);
  });

  it.each(HOSTILE_RETURN_URLS)('are rejected: %s', (_name, text) => {
    expect(checkReturnUrl(text, consumers)).toBeNull();
  });
});

describe('any accepted return URL', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        'https:',
        'http:',
        'javascript:',
        '//',
        '/',
        '\\',
        '@',
        ':',
        ':443',
        ':8443',
        '?',
        '#',
        ';',
        '%2e',
        '%2f',
      ],
      ...[
        '..',
        '.',
        '%00',
        '%',
        '\t',
        '\n',
        ' ',
        'é',
        '＠',
        '。',
        'app.example',
        'evil.example',
        'connected',
        'a',
      ],
      ...[
        'https://app.example',
        'https://app.example/connected',
        '127.0.0.1:8082',
        'user',
        '%5c',
        '%25',
        '&',
      ],
    ),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const behind = fc
    .array(piece, { maxLength: 5 })
    .map((pieces) => `https://app.example/connected${pieces.join('')}`);

  it('has the origin of its consumer and a path under one of its prefixes', () => {
    fc.assert(
      fc.property(fc.oneof(text, behind), (candidate) => {
        const checked = checkReturnUrl(candidate, consumers);
        if (checked === null) return;
        const { consumer, href } = checked;
        const url = new URL(href);
        expect(url.origin).toBe(consumer.origin);
        expect(href.startsWith(`${consumer.origin}/`)).toBe(true);
        expect([url.username, url.password, url.hash]).toEqual(['', '', '']);
        const segments = decodeURIComponent(url.pathname).split('/');
        expect(segments.some((segment) => segment === '.' || segment === '..')).toBe(false);
        const path = segments.join('/');
        expect(
          consumer.return_prefixes.some(
            (prefix) => prefix === '/' || path === prefix || path.startsWith(`${prefix}/`),
          ),
        ).toBe(true);
        // Checking the result again does not change it.
        expect(checkReturnUrl(href, consumers)).toEqual(checked);
        const back = new URL(withCode(checked, 'CODE'));
        expect(back.origin + back.pathname).toBe(url.origin + url.pathname);
        expect(back.searchParams.getAll('profile_code')).toEqual(['CODE']);
      }),
      { numRuns: 3_000 },
    );
  });

  it('may have any path below a prefix', () => {
    const segment = fc.stringMatching(/^[\w~-]{1,8}$/);
    fc.assert(
      fc.property(
        fc.array(segment, { maxLength: 6 }),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        (segments, query) => {
          const path = ['https://app.example/connected', ...segments].join('/');
          const state = `state=${encodeURIComponent(query)}`;
          fc.pre(!/%(?:[01][0-9a-f]|7f)/i.test(state));
          expect(hrefOf(`${path}?${state}`)).toBe(`${path}?${state}`.replaceAll("'", '%27'));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the code', () => {
  const back = (text: string): string => {
    const checked = checkReturnUrl(text, consumers);
    if (checked === null) throw new Error(`${text} was rejected`);
    return withCode(checked, 'NEW');
  };

  it.each([
    ['/connected', '/connected?profile_code=NEW'],
    ['/connected?', '/connected?profile_code=NEW'],
    ['/connected?state=1', '/connected?state=1&profile_code=NEW'],
    ['/connected?state=a%20b+c&x', '/connected?state=a%20b+c&x&profile_code=NEW'],
    ['/connected?profile_code=old', '/connected?profile_code=NEW'],
    ['/connected?profile_code', '/connected?profile_code=NEW'],
    ['/connected?a=1&profile_code=old&b=2&profile_code=older', '/connected?a=1&b=2&profile_code=NEW'],
    ['/connected?profile%5Fcode=old&state=1', '/connected?state=1&profile_code=NEW'],
    ['/connected?%70rofile_code=old', '/connected?profile_code=NEW'],
    ['/connected?profile_code[]=old&profile_code%5Bx%5D=old&state=1', '/connected?state=1&profile_code=NEW'],
    ['/connected?profile_codes=other', '/connected?profile_codes=other&profile_code=NEW'],
    ['/connected?Profile_code=other', '/connected?Profile_code=other&profile_code=NEW'],
    ['/connected??profile_code=other', '/connected??profile_code=other&profile_code=NEW'],
    ['/connected?&&state=1&', '/connected?state=1&profile_code=NEW'],
    ['/connected?state=profile_code%3Dx', '/connected?state=profile_code%3Dx&profile_code=NEW'],
  ])('joins the parameters of the consumer: %s', (given, expected) => {
    expect(back(`https://app.example${given}`)).toBe(`https://app.example${expected}`);
  });
});
