import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page of an app that uses taste profiles, on an origin of its own. */
export interface ConsumerPages {
  readonly origin: string;
  stop(): Promise<void>;
}

/**
 * What an app does with its user: exchanges the code in its address, reads the profile with the token, and shows what it
 * was answered in `#result`. `ask` reads the profile again with any token.
 */
const pageOf = (tasteUrl: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>An app</title><link rel="icon" href="data:,"></head>
<body><h1>An app</h1><pre id="result"></pre>
<script>
const show = (value) => { document.querySelector('#result').textContent = JSON.stringify(value); };
async function ask(path, options) {
  try {
    const answer = await fetch('${tasteUrl}/api/v1/me/' + path, options);
    return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
  } catch (error) {
    return { blocked: error.name };
  }
}
const bearer = (token) => ({ headers: { authorization: 'Bearer ' + token } });
const readProfile = (token) => ask('profile', bearer(token));
const revoke = (token) => ask('token', { method: 'DELETE', ...bearer(token) });
async function begin() {
  const query = new URLSearchParams(location.search);
  const code = query.get('profile_code');
  if (code === null) return;
  query.delete('profile_code');
  history.replaceState(null, '', location.pathname + '?' + query);
  const exchanged = await ask('token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  show({ exchanged, profile: exchanged.status === 200 ? await readProfile(exchanged.body.token) : null });
}
begin();
</script></body></html>`;

/** Serves the page at every path. */
export async function startConsumer(tasteUrl: () => string): Promise<ConsumerPages> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(tasteUrl()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
