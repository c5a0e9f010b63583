import { request } from 'node:http';

const PING_MS = 2_000;

function endpoint(): { socketPath: string } | { host: string; port: string } | null {
  const configured = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock';
  const url = new URL(configured);
  if (url.protocol === 'unix:') return { socketPath: url.pathname };
  if (url.protocol === 'tcp:' || url.protocol === 'http:')
    return { host: url.hostname, port: url.port || '2375' };
  return null;
}

/** Whether a Docker engine answers; a client without an engine does not count. */
export function dockerAnswers(): Promise<boolean> {
  const target = endpoint();
  if (target === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const ping = request({ ...target, path: '/_ping', timeout: PING_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.once('timeout', () => ping.destroy(new Error('no answer')));
    ping.once('error', () => resolve(false));
    ping.end();
  });
}
