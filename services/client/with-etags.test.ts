import { expect, it } from 'vitest';
import { withEtags } from './with-etags.ts';

/** A service that responds with the path as body and ETag, and the requests that it saw. */
function fakeService(entries: number) {
  const seen: string[] = [];
  const send = withEtags(async (request) => {
    const { pathname } = new URL(request.url);
    const condition = request.headers.get('if-none-match');
    seen.push(condition === null ? pathname : `${pathname} ${condition}`);
    const headers = { etag: `W/"${pathname}"`, 'x-ratelimit-remaining': String(100 - seen.length) };
    if (condition === headers.etag) return new Response(null, { status: 304, headers });
    return new Response(pathname, { headers: { ...headers, 'content-type': 'text/plain' } });
  }, entries);
  return { seen, get: (path: string) => send(new Request(`https://api.example${path}`)) };
}

it('returns the cached body with current headers', async () => {
  const { seen, get } = fakeService(2);
  await get('/a');
  const again = await get('/a');
  expect(seen).toEqual(['/a', '/a W/"/a"']);
  expect([again.status, await again.text()]).toEqual([200, '/a']);
  expect(again.headers.get('content-type')).toBe('text/plain');
  expect(again.headers.get('x-ratelimit-remaining')).toBe('98');
});

it('evicts the least recently used response', async () => {
  const { seen, get } = fakeService(2);
  for (const path of ['/a', '/b', '/a', '/c', '/a', '/b']) await get(path);
  expect(seen).toEqual(['/a', '/b', '/a W/"/a"', '/c', '/a W/"/a"', '/b']);
});

it('ignores conditional requests of the caller, and writes', async () => {
  const seen: (string | null)[] = [];
  const send = withEtags(async (request) => {
    seen.push(request.headers.get('if-none-match'));
    return new Response('{}', { headers: { etag: 'W/"1"' } });
  }, 9);
  const url = 'https://api.example/a';
  await send(new Request(url));
  await send(new Request(url, { headers: { 'if-none-match': 'W/"own"' } }));
  await send(new Request(url, { method: 'POST', body: '{}' }));
  expect(seen).toEqual([null, 'W/"own"', null]);
});
