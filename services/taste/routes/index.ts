import type { FastifyPluginAsync } from 'fastify';
import type { Cookies } from '../connect/cookies.ts';
import type { FormTokens } from '../connect/form-token.ts';
import type { Consumers } from '../contract/registry.ts';
import type { NoteEvent } from '../events.ts';
import type { RequestLimit } from '../http/request-limit.ts';
import type { TasteParts } from '../parts.ts';
import type { SubjectNames } from '../profile/subject.ts';
import { connectRoutes } from './connect.ts';
import { contractRoutes } from './contract.ts';
import { meRoutes } from './me.ts';
import { statusRoutes } from './status.ts';

/** What routes are made with. */
export interface RouteContext {
  readonly parts: TasteParts;
  readonly consumers: Consumers;
  readonly cookies: Cookies;
  readonly forms: FormTokens;
  /** Of consents: each makes somebody new, where no cookie says otherwise, and has a service asked. */
  readonly consents: RequestLimit;
  readonly nameSubject: SubjectNames;
  readonly note: NoteEvent;
}

/** Every route there is; the published contract lists the same ones. */
export const routes: readonly FastifyPluginAsync<RouteContext>[] = [
  connectRoutes,
  statusRoutes,
  meRoutes,
  contractRoutes,
];
