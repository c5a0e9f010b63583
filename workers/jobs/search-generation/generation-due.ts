import type { ClientBase, Pool } from 'pg';
import { liveVersion } from '../../../projections/engine/store/version.ts';
import { changedSince } from '../../../projections/models/search/changes.ts';
import { newestGeneration } from '../../../projections/models/search/generation.ts';
import type { GenerationStore } from './generation-store.ts';

/** After this many changes the next generation is due: a share of the documents, within bounds. */
const CHANGE_LIMIT = { share: 0.05, min: 1_000, max: 10_000 };
/** After this time the next generation is due if anything has changed. */
const MAX_AGE_HOURS = 24;

/** Why another generation is due; null if none is, or if no version of the search projection is live. */
export async function generationDue(db: ClientBase | Pool, store: GenerationStore): Promise<string | null> {
  const live = await liveVersion(db, 'search');
  if (live === null) return null;
  const newest = await newestGeneration(db, store.format);
  if (newest === null) return 'no generation exists';
  if (newest.version !== live.id) return 'another version of the documents is served';
  if (!(await store.holds(newest.id))) return 'the newest generation is lost';
  if (store.takesChanges) return null;
  const { rows } = await db.query<{ changes: number; isOld: boolean }>({
    name: 'changes-since-generation',
    text: `select coalesce(sum(size), 0)::float8 as changes, $3 < now() - make_interval(hours => $4) as "isOld"
           from search.change where ${changedSince('$1', '$2::pg_snapshot')}`,
    values: [newest.version, newest.snapshot, newest.takenAt, MAX_AGE_HOURS],
  });
  const { changes = 0, isOld = false } = rows[0] ?? {};
  const { share, min, max } = CHANGE_LIMIT;
  if (changes >= Math.min(Math.max(newest.documents * share, min), max)) return `${changes} changes`;
  return isOld && changes > 0 ? `it is more than ${MAX_AGE_HOURS} hours old` : null;
}
