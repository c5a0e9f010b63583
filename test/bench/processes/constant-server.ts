// As in the service that it is measured against.
import '../../../services/http/keep-tick-shape.ts';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { frameworkOptions } from './framework-options.ts';
import { handleJobs } from './handle-jobs.ts';

/** What the server is to answer from now on. */
export interface ConstantAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

const app = fastify(frameworkOptions());
let answer: ConstantAnswer & { body: Buffer } = { status: 200, body: Buffer.alloc(0), headers: {} };
app.get('/api/v2/artist/:key', (_request, reply) => {
  reply.code(answer.status).headers(answer.headers);
  reply.send(answer.status === 304 ? undefined : answer.body);
});
await app.listen({ host: '127.0.0.1', port: 0 });

handleJobs<ConstantAnswer, number>(async (asked) => {
  answer = { ...asked, body: Buffer.from(asked.body) };
  return (app.server.address() as AddressInfo).port;
});
