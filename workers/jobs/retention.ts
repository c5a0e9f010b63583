import { Type } from '@sinclair/typebox';
import { retireVersions } from '../../projections/store/retire.ts';
import { purgeSettledLetters } from '../ingest/dead-letters/purge-settled-letters.ts';
import { TOMBSTONE_DAYS } from '../ingest/outdated.ts';
import { purgeReplacements } from '../ingest/replace-missing.ts';
import { defineJob } from './define-job.ts';
import { purgePositions } from './retention/purge-positions.ts';
import { purgeSearchEvents } from './retention/purge-search-events.ts';
import { purgeTombstones } from './retention/purge-tombstones.ts';

const DAY_MS = 86_400_000;
const LETTER_DAYS = 90;
const POSITION_DAYS = 90;
const SEARCH_EVENT_DAYS = 90;
/** How long a version that was replaced can be put back. */
const VERSION_DAYS = 7;

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** Removes what is kept for a while only. */
export const retention = defineJob({
  name: 'retention',
  schedule: '17 3 * * *',
  attempts: 5,
  backoff: 60_000,
  timeout: 6 * 3_600_000,
  data: Type.Object({}, { additionalProperties: false }),
  async run({ pool, signal }) {
    const tombstones = await purgeTombstones(pool, daysAgo(TOMBSTONE_DAYS), signal);
    const deadLetters = await purgeSettledLetters(pool, daysAgo(LETTER_DAYS));
    const positions = await purgePositions(pool, daysAgo(POSITION_DAYS));
    const replacements = await purgeReplacements(pool, daysAgo(POSITION_DAYS));
    const searchEvents = await purgeSearchEvents(pool, daysAgo(SEARCH_EVENT_DAYS), signal);
    signal.throwIfAborted();
    const retired = await retireVersions(pool, { olderThan: daysAgo(VERSION_DAYS) });
    return { tombstones, deadLetters, positions, replacements, searchEvents, versions: retired.length };
  },
});
