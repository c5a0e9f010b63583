import { BeaconError } from './beacon-error.ts';
import type { BeaconTokens } from './tokens.ts';

const BEARER = /^Bearer +(?<token>[\w-]+\.[\w-]+\.[\w-]*)$/i;

/** How far a client's clock, and the way of its event, may lead from the clock of the service; either way. */
const SKEW_TOLERANCE_MS = 5 * 60_000;

/** The search event whose beacons an Authorization header opens. @throws BeaconError `missing_token`, `invalid_token` */
export async function openBeacon(tokens: BeaconTokens, authorization: string | undefined): Promise<string> {
  if (authorization === undefined || /^\s*(?:Bearer\s*)?$/i.test(authorization))
    throw new BeaconError('missing_token');
  const token = BEARER.exec(authorization)?.groups?.token;
  const searchEventId = token === undefined ? null : await tokens.verify(token);
  if (searchEventId === null) throw new BeaconError('invalid_token');
  return searchEventId;
}

/** @throws BeaconError `token_search_event_mismatch` where the token is that of another search */
export function checkMatch(searchEventId: string, ofToken: string): void {
  if (searchEventId.toLowerCase() !== ofToken.toLowerCase())
    throw new BeaconError('token_search_event_mismatch');
}

/** @throws BeaconError `timestamp_skew`, telling how far the event is ahead */
export function checkSkew(at: number, now: number): void {
  const skewMs = at - now;
  if (Math.abs(skewMs) > SKEW_TOLERANCE_MS) throw new BeaconError('timestamp_skew', { skewMs });
}
