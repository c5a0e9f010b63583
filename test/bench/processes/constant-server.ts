import type { AddressInfo } from 'node:net';
import fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { pino } from 'pino';
import { answerJobs } from './answer-jobs.ts';

/** What the server is to answer from now on. */
export interface ConstantAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

// The framework's options are those of the query service; its plugins and routes are what is measured against this.
const app = fastify({
  loggerInstance: pino({ level: 'warn' }) as FastifyBaseLogger,
  childLoggerFactory: (logger) => logger,
  logController: new LogController({ disableRequestLogging: true }),
  requestTimeout: 10_000,
  bodyLimit: 256 * 1024,
  return503OnClosing: false,
  routerOptions: { maxParamLength: 16 * 1024 },
});
let answer: ConstantAnswer & { body: Buffer } = { status: 200, body: Buffer.alloc(0), headers: {} };
app.get('/api/v2/artist/:key', (_request, reply) => {
  reply.code(answer.status).headers(answer.headers);
  reply.send(answer.status === 304 ? undefined : answer.body);
});
await app.listen({ host: '127.0.0.1', port: 0 });

answerJobs<ConstantAnswer, number>(async (asked) => {
  answer = { ...asked, body: Buffer.from(asked.body) };
  return (app.server.address() as AddressInfo).port;
});
