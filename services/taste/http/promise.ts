import type { TSchema } from '@sinclair/typebox';
import type { TasteErrorCode } from './errors.ts';

/** What there is to get beside JSON. */
type OtherBody = 'page' | 'style' | 'redirect' | 'nothing' | 'contract';

/** What a route does, in the terms of the published contract. */
export interface RoutePromise {
  /** Whether pages of consumers may ask. */
  readonly cors: boolean;
  readonly auth: 'none' | 'code' | 'bearer' | 'cookie';
  /** The parameters of the query. */
  readonly query: readonly string[];
  readonly request: TSchema | null;
  /** By status, what is answered where nothing goes wrong with the service itself. */
  readonly answers: Readonly<Record<number, TSchema | OtherBody>>;
  /** Codes of errors beside the general ones. */
  readonly codes: readonly TasteErrorCode[];
}

/** A route as it is registered. */
export interface PromisedRoute {
  readonly method: string;
  readonly path: string;
  readonly promise: RoutePromise | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    promise?: RoutePromise;
    /** The code of what is wrong with a body that cannot be read. */
    unreadable?: TasteErrorCode;
  }
  interface FastifyInstance {
    /** Every route, also those that only lack the body, in the order of registration. */
    readonly promisedRoutes: readonly PromisedRoute[];
  }
}
