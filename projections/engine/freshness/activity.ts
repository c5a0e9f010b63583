/**
 * `active`: the source changes. `quiet`: only heartbeats of its connector come, so there was nothing to change. `dead`:
 * neither comes any more. `unknown`: neither ever came.
 */
export const ACTIVITIES = ['active', 'quiet', 'dead', 'unknown'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** The newest change and heartbeat of a source, in milliseconds since 1970. */
export interface LastSeen {
  readonly changeMs: number | null;
  readonly heartbeatMs: number | null;
}

/** The newer of change and heartbeat; null without either. */
export const lastSeenMs = ({ changeMs, heartbeatMs }: LastSeen): number | null =>
  changeMs === null || heartbeatMs === null ? (changeMs ?? heartbeatMs) : Math.max(changeMs, heartbeatMs);

/** @param silentSeconds how long a source may be silent */
export function activityOf(
  { changeMs, heartbeatMs }: LastSeen,
  nowMs: number,
  silentSeconds: number,
): Activity {
  const isRecent = (ms: number | null): boolean => ms !== null && nowMs - ms <= silentSeconds * 1000;
  if (isRecent(changeMs)) return 'active';
  if (isRecent(heartbeatMs)) return 'quiet';
  return changeMs === null && heartbeatMs === null ? 'unknown' : 'dead';
}
