import { expect, it } from 'vitest';
import { passHeaders } from './route.ts';
import { deprecationHeaders } from './settings.ts';

it('drops headers of the connection', () => {
  expect(
    passHeaders({
      connection: 'close, X-Hop',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
      te: 'trailers',
      upgrade: 'h2c',
      'proxy-authorization': 'secret',
      'x-hop': '1',
      'x-api-key': 'key',
      'set-cookie': ['a=1', 'b=2'],
    }),
  ).toEqual({ 'x-api-key': 'key', 'set-cookie': ['a=1', 'b=2'] });
});

it('names the dates of deprecation and sunset', () => {
  const settings = {
    upstreamUrl: 'http://v1.example',
    deprecatedAt: new Date('2026-11-01'),
    sunsetAt: new Date('2027-11-01'),
  };
  expect(deprecationHeaders(settings, 'https://api.example')).toEqual({
    deprecation: '@1793491200',
    sunset: 'Mon, 01 Nov 2027 00:00:00 GMT',
    link:
      '<https://api.example/docs/migration/v1-to-v2>; rel="deprecation"; type="text/html", ' +
      '<https://api.example/docs/migration/v1-to-v2>; rel="sunset"; type="text/html", ' +
      '<https://api.example/api/v2>; rel="successor-version"',
  });
});
