import type { ClientBase, Pool } from 'pg';
import { changedSince } from '../../../projections/search/changes.ts';
import { newestGeneration } from '../../../projections/search/generation.ts';
import { liveVersion } from '../../../projections/store/version.ts';

/** Changes since the newest generation at which another one is due: a share of the documents, within bounds. */
const MANY_CHANGES = { share: 0.05, least: 1_000, most: 10_000 };
/** After which a generation is made anew if anything has changed at all. */
const OLD_HOURS = 24;

/** Why another generation is due; null where none is, or where there is nothing to make it of. */
export async function generationDue(db: ClientBase | Pool): Promise<string | null> {
  const live = await liveVersion(db, 'search');
  if (live === null) return null;
  const newest = await newestGeneration(db);
  if (newest === null) return 'there is none';
  if (newest.version !== live.id) return 'another version of the documents is served';
  const { rows } = await db.query<{ changes: number; isOld: boolean }>({
    name: 'changes-since-generation',
    text: `select coalesce(sum(size), 0)::float8 as changes, $3 < now() - make_interval(hours => $4) as "isOld"
           from search.change where ${changedSince('$1', '$2::pg_snapshot')}`,
    values: [newest.version, newest.snapshot, newest.takenAt, OLD_HOURS],
  });
  const { changes = 0, isOld = false } = rows[0] ?? {};
  const { share, least, most } = MANY_CHANGES;
  if (changes >= Math.min(Math.max(newest.documents * share, least), most)) return `${changes} changes`;
  return isOld && changes > 0 ? `it is more than ${OLD_HOURS} hours old` : null;
}
