import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Path and query of a target such as `http://host/path?query`. */
export function originForm(target: string): string {
  const [, path = '/'] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target) ?? [];
  return path.startsWith('/') ? path : `/${path}`;
}

/** Whether a request lacks its Host header. Only HTTP/1.1 requires one. */
export const isHostless = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion === '1.1';

/** Ignores expectations other than 100-continue, as the specification allows. */
export function passOverExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
