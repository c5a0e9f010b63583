import type { Cookies } from '../connect/cookies.ts';
import type { FormTokens } from '../connect/form-token.ts';
import type { Consumers } from '../contract/registry.ts';
import type { RecordEvent } from '../events.ts';
import type { RequestLimit } from '../http/request-limit.ts';
import type { TasteParts } from '../parts.ts';
import type { SubjectNames } from '../profile/subject.ts';

/** The parts that routes share. */
export interface RouteContext {
  readonly parts: TasteParts;
  readonly consumers: Consumers;
  readonly cookies: Cookies;
  readonly forms: FormTokens;
  /** Limits consents: each without a cookie makes a new person and requests an upstream. */
  readonly consents: RequestLimit;
  readonly nameSubject: SubjectNames;
  readonly recordEvent: RecordEvent;
}
