import { createSecretKey, randomBytes } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Logger } from 'pino';

/** Life of a token after its search. */
const LIFETIME_SECONDS = 15 * 60;
const ALGORITHM = 'HS256';
/** Distinguishes these tokens from others signed with the same secret. */
const AUDIENCE = 'search-events';

interface BeaconToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface BeaconTokens {
  /** A token for the beacons of one search only. @param searchEventId a UUID */
  issue(searchEventId: string): Promise<BeaconToken>;
  /** The search event that a token was issued for; null if forged, expired or malformed. */
  verify(token: string): Promise<string | null>;
}

/**
 * Issues and verifies the tokens of beacons. Processes with the same secret accept each other's tokens.
 *
 * @param secret of at least 32 bytes
 * @param now milliseconds since 1970
 */
export function beaconTokens({ secret, now }: { secret: string; now: () => number }): BeaconTokens {
  const key = createSecretKey(secret, 'utf8');
  return {
    async issue(searchEventId) {
      const issuedAt = Math.floor(now() / 1000);
      const expiresAt = issuedAt + LIFETIME_SECONDS;
      const token = await new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM })
        .setSubject(searchEventId)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key);
      return { token, expiresAt: new Date(expiresAt * 1000) };
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
          requiredClaims: ['sub', 'iat', 'exp'],
          currentDate: new Date(now()),
        });
        return payload.sub ?? null;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}

/** The secret for beacon tokens; random for this process if none is given. */
export function beaconSecret(given: string | undefined, log: Logger): string {
  if (given !== undefined) return given;
  log.info('BEACON_SECRET is not set: beacon tokens are valid only in this process, until it stops');
  return randomBytes(32).toString('base64url');
}
