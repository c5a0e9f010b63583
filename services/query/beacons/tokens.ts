import { createSecretKey } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';

/** How long after its search a beacon may be sent. */
const LIFETIME_SECONDS = 15 * 60;
const ALGORITHM = 'HS256';
/** Sets these tokens apart from any other that may be signed with the same secret. */
const AUDIENCE = 'search-events';

interface BeaconToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface BeaconTokens {
  /** A token that opens the beacons of one search, and of no other. @param searchEventId a UUID */
  issue(searchEventId: string): Promise<BeaconToken>;
  /** The search event that a token was issued for; null where it is forged, expired or no such token. */
  verify(token: string): Promise<string | null>;
}

/**
 * Issues and verifies the tokens of beacons. Processes that share the secret accept each other's.
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
