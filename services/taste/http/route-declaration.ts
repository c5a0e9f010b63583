import type { TSchema } from '@sinclair/typebox';
import type { TasteErrorCode } from './errors.ts';

/** Responses other than JSON. */
type OtherBody = 'page' | 'style' | 'redirect' | 'nothing' | 'contract';

/** A route in the terms of the published contract. */
export interface RouteDeclaration {
  /** Whether pages of consumers may send it. */
  readonly cors: boolean;
  readonly auth: 'none' | 'code' | 'bearer' | 'cookie';
  /** The parameters of the query. */
  readonly query: readonly string[];
  readonly request: TSchema | null;
  /** The responses by status, except failures of the service itself. */
  readonly responses: Readonly<Record<number, TSchema | OtherBody>>;
  /** Error codes in addition to the general ones. */
  readonly codes: readonly TasteErrorCode[];
}

/** A route as it is registered. */
export interface DeclaredRoute {
  readonly method: string;
  readonly path: string;
  readonly declaration: RouteDeclaration | null;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    declaration?: RouteDeclaration;
    /** The error code of an unreadable body. */
    unreadable?: TasteErrorCode;
  }
  interface FastifyInstance {
    /** Every route, including those of HEAD, in the order of registration. */
    readonly declaredRoutes: readonly DeclaredRoute[];
  }
}
