import { type FastifyBaseLogger, type FastifyServerOptions, LogController } from 'fastify';
import { pino } from 'pino';

/** The framework's options of the query service, for what it is measured against. */
export const frameworkOptions = (log = pino({ level: 'warn' })) =>
  ({
    loggerInstance: log as FastifyBaseLogger,
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 10_000,
    bodyLimit: 256 * 1024,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16 * 1024 },
  }) satisfies FastifyServerOptions;
