import type { ConnectorState } from './connectors.ts';

/**
 * `active`: the source changes. `quiet`: only heartbeats of its connector come, so there was nothing to change. `silent`:
 * its connector misses heartbeats. `dead`: neither change nor heartbeat comes any more. `unknown`: neither ever came.
 */
export const ACTIVITIES = ['active', 'quiet', 'silent', 'dead', 'unknown'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** The newest change of a source and the newest heartbeat of its connector, in milliseconds since 1970. */
export interface LastSeen {
  readonly changeMs: number | null;
  readonly heartbeatMs: number | null;
}

/** The newer of change and heartbeat; null without either. */
export const lastSeenMs = ({ changeMs, heartbeatMs }: LastSeen): number | null =>
  changeMs === null || heartbeatMs === null ? (changeMs ?? heartbeatMs) : Math.max(changeMs, heartbeatMs);

interface ActivityLimits {
  readonly connector: ConnectorState;
  /** How long a source may be without changes and heartbeats. */
  readonly staleSeconds: number;
}

export function activityOf(
  { changeMs, heartbeatMs }: LastSeen,
  nowMs: number,
  { connector, staleSeconds }: ActivityLimits,
): Activity {
  if (connector === 'silent' || connector === 'dead') return connector;
  const isRecent = (ms: number | null): boolean => ms !== null && nowMs - ms <= staleSeconds * 1000;
  if (isRecent(changeMs)) return 'active';
  if (isRecent(heartbeatMs)) return 'quiet';
  return changeMs === null && heartbeatMs === null ? 'unknown' : 'dead';
}
