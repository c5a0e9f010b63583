import { SHARE_LIMIT } from '../snapshots/replace-missing.ts';
import type { SnapshotCounts } from './missing-rows.ts';
import type { SweepMode } from './sweep.ts';

/** Why the rows that a snapshot lacks must not be removed without an operator; null if they may be. */
export function findObjection(
  { stored, missing, brought, changed, rejected, unreadable, expected }: Omit<SnapshotCounts, 'since'>,
  mode: SweepMode,
): string | null {
  if (missing === 0) return null;
  if (mode === 'off') return 'sweeps are turned off (SNAPSHOT_SWEEPS)';
  if (unreadable > 0)
    return `${unreadable} dead letters of the snapshot have no readable key, so they may be any row`;
  const most = brought + changed + rejected;
  if (expected !== null && (expected < brought || expected > most))
    return `the connector read ${expected} rows, and ${brought === most ? most : `${brought} to ${most}`} arrived`;
  if (mode === 'counted' && expected !== null) return null;
  if (missing > stored * SHARE_LIMIT) return `the snapshot lacks ${missing} of ${stored} rows, more than 5 %`;
  return null;
}
