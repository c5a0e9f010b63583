import { expect, it } from 'vitest';
import { withEtags } from './with-etags.ts';

/** A service whose answers are their paths, each with its path as ETag, and what it was asked. */
function play(entries: number) {
  const asked: string[] = [];
  const send = withEtags(async (request) => {
    const { pathname } = new URL(request.url);
    const condition = request.headers.get('if-none-match');
    asked.push(condition === null ? pathname : `${pathname} ${condition}`);
    const headers = { etag: `W/"${pathname}"`, 'x-ratelimit-remaining': String(100 - asked.length) };
    if (condition === headers.etag) return new Response(null, { status: 304, headers });
    return new Response(pathname, { headers: { ...headers, 'content-type': 'text/plain' } });
  }, entries);
  return { asked, get: (path: string) => send(new Request(`https://api.example${path}`)) };
}

it('answers what is held, with the headers of now', async () => {
  const { asked, get } = play(2);
  await get('/a');
  const again = await get('/a');
  expect(asked).toEqual(['/a', '/a W/"/a"']);
  expect([again.status, await again.text()]).toEqual([200, '/a']);
  expect(again.headers.get('content-type')).toBe('text/plain');
  expect(again.headers.get('x-ratelimit-remaining')).toBe('98');
});

it('lets go of what was not used for longest', async () => {
  const { asked, get } = play(2);
  for (const path of ['/a', '/b', '/a', '/c', '/a', '/b']) await get(path);
  expect(asked).toEqual(['/a', '/b', '/a W/"/a"', '/c', '/a W/"/a"', '/b']);
});

it('leaves conditions of the caller and writes alone', async () => {
  const asked: (string | null)[] = [];
  const send = withEtags(async (request) => {
    asked.push(request.headers.get('if-none-match'));
    return new Response('{}', { headers: { etag: 'W/"1"' } });
  }, 9);
  const url = 'https://api.example/a';
  await send(new Request(url));
  await send(new Request(url, { headers: { 'if-none-match': 'W/"own"' } }));
  await send(new Request(url, { method: 'POST', body: '{}' }));
  expect(asked).toEqual([null, 'W/"own"', null]);
});
