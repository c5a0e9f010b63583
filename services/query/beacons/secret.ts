import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';

/** The secret that beacon tokens are signed with; where none is given, one that this process alone knows. */
export function beaconSecret(given: string | undefined, log: Logger): string {
  if (given !== undefined) return given;
  log.info('BEACON_SECRET is not set: beacon tokens hold for this process alone, until it stops');
  return randomBytes(32).toString('base64url');
}
