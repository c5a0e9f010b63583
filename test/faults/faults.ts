import type { Fault } from './fault.ts';
import {
  ingestFrozen,
  joining,
  killed,
  killedUnderLoad,
  projectorFrozen,
  rebuildKilled,
} from './process-faults.ts';
import { brokerKilled, databaseCrashed, readOnly, sessionsEnded } from './server-faults.ts';

const ROLLED_BACK = ['move-position', 'upsert-blind', 'update-folded', 'mark-dirty'];

/** Every fault of this suite. */
export const faults: readonly Fault[] = [
  ...ROLLED_BACK.map((at) => killed('ingest', { when: 'after', at })),
  killed('ingest', { when: 'before', at: 'upsert-blind' }),
  killed('ingest', { when: 'after', at: 'store-dead-letters', most: 1 }),
  killed('ingest', { when: 'before', at: 'commit' }),
  killed('ingest', { when: 'after', at: 'commit' }),
  killed('ingest', { when: 'before', at: 'kafka-commit', most: 1 }),
  killed('ingest', { when: 'after', at: 'kafka-commit', most: 1 }),
  ingestFrozen('begin', 'another consumer moved the position'),
  ingestFrozen('commit', 'cannot be written'),
  killedUnderLoad('ingest'),
  joining('ingest'),
  killed('projector', { when: 'after', at: 'marks-of-bucket' }),
  killed('projector', { when: 'after', at: 'upsert-documents' }),
  killed('projector', { when: 'before', at: 'clear-marks' }),
  killed('projector', { when: 'after', at: 'clear-marks' }),
  killed('projector', { when: 'after', at: 'commit' }),
  projectorFrozen('clear-marks'),
  killedUnderLoad('projector'),
  joining('projector'),
  rebuildKilled('during', 'copy read.'),
  rebuildKilled('before', 'commit', 4),
  rebuildKilled('before', 'create or replace view'),
  rebuildKilled('after', 'create or replace view'),
  brokerKilled,
  databaseCrashed,
  sessionsEnded,
  readOnly,
];
