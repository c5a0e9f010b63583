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

/** Every way that this suite knows. */
export const faults: readonly Fault[] = [
  ...ROLLED_BACK.map((at) => killed('ingest', 'after', at)),
  killed('ingest', 'before', 'upsert-blind'),
  killed('ingest', 'after', 'keep-dead-letters', 1),
  killed('ingest', 'before', 'commit'),
  killed('ingest', 'after', 'commit'),
  killed('ingest', 'before', 'kafka-commit', 1),
  killed('ingest', 'after', 'kafka-commit', 1),
  ingestFrozen('begin', 'another consumer moved the position'),
  ingestFrozen('commit', 'cannot be written'),
  killedUnderLoad('ingest'),
  joining('ingest'),
  killed('projector', 'after', 'marks-of-bucket'),
  killed('projector', 'after', 'upsert-documents'),
  killed('projector', 'before', 'clear-marks'),
  killed('projector', 'after', 'clear-marks'),
  killed('projector', 'after', 'commit'),
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
