/**
 * What a source does: `active` where it changes, `quiet` where only its connector's heartbeats say that there was
 * nothing to change, `dead` where neither comes any more, `unknown` where neither ever came.
 */
export const ACTIVITIES = ['active', 'quiet', 'dead', 'unknown'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** When a source was last heard of, in milliseconds since 1970. */
export interface Heard {
  readonly changeMs: number | null;
  readonly heartbeatMs: number | null;
}

/** The newer of change and heartbeat; null without either. */
export const heardMs = ({ changeMs, heartbeatMs }: Heard): number | null =>
  changeMs === null || heartbeatMs === null ? (changeMs ?? heartbeatMs) : Math.max(changeMs, heartbeatMs);

/** @param silentSeconds how long a source may say nothing */
export function activityOf({ changeMs, heartbeatMs }: Heard, nowMs: number, silentSeconds: number): Activity {
  const isRecent = (ms: number | null): boolean => ms !== null && nowMs - ms <= silentSeconds * 1000;
  if (isRecent(changeMs)) return 'active';
  if (isRecent(heartbeatMs)) return 'quiet';
  return changeMs === null && heartbeatMs === null ? 'unknown' : 'dead';
}
