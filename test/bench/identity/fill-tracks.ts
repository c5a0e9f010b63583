import { transaction } from '../../../db/transaction.ts';
import { mbRecording } from '../../../projections/contracts/mb/recording.ts';
import { storefrontItem } from '../../../projections/contracts/storefront/item.ts';
import { storefrontTrack } from '../../../projections/contracts/storefront/track.ts';
import { MirrorRows, type SubjectRef } from '../../../projections/engine/rows.ts';
import { copyDocuments } from '../../../projections/engine/store/copy-documents.ts';
import { createVersion } from '../../../projections/engine/store/create-version.ts';
import { indexLookupKeys } from '../../../projections/engine/store/index-lookup-keys.ts';
import { documentTable, lookupTable } from '../../../projections/engine/store/version.ts';
import { mbTrackProjection } from '../../../projections/models/mb-track/project.ts';
import { storefrontTrackProjection } from '../../../projections/models/storefront-track/project.ts';
import { AUTOMATIC } from '../../../workers/project/decision.ts';
import { promoteVersion } from '../../../workers/project/switch-version.ts';
import type { BenchDatabase } from '../database.ts';
import { recordingsOf, TRACKS_AN_ITEM, trackOf } from './tracks.ts';

/** Documents that are copied in one transaction. */
const CHUNK = 2_000;

type Rows = Map<SubjectRef, Map<string, { row: unknown; changedAt: number }[]>>;

/** How the rows of the document with a number are made. */
type AddRows = (rows: Rows, document: number) => SubjectRef;

/**
 * Puts tracks straight into versions of their read models, and these in service: the documents are those that the
 * projections make of the rows, but the rows are never kept.
 */
export async function fillTracks({ pool, registry }: BenchDatabase, tracks: number): Promise<void> {
  const recordings = recordingsOf(tracks);
  const items = (tracks - recordings) / TRACKS_AN_ITEM;
  for (const [projection, documents, addRows] of [
    [mbTrackProjection, recordings, addRecording],
    [storefrontTrackProjection, items, itemAfter(recordings)],
  ] as const) {
    const version = await createVersion(pool, projection);
    if (version === null) throw new Error(`${projection.name} is being built already`);
    for (let from = 0; from < documents; from += CHUNK) {
      const to = Math.min(from + CHUNK, documents);
      const keys: SubjectRef[] = [];
      const rows: Rows = new Map();
      for (let document = from; document < to; document++) keys.push(addRows(rows, document));
      const readRows = async () => new MirrorRows(rows, new Set());
      const projected = await projection.project(keys, readRows, { idOf: () => 0 });
      await transaction(pool, (client) => copyDocuments(client, version, projected));
    }
    await indexLookupKeys(pool, version, projection);
    await pool.query(`vacuum (analyze) ${documentTable(version)}, ${lookupTable(version)}`);
    await pool.query(`update projection.version set state = 'ready', ready_at = now() where id = $1`, [
      version.id,
    ]);
    await promoteVersion(pool, projection, registry, { id: version.id, decision: AUTOMATIC });
  }
  await pool.query('checkpoint');
}

function add(rows: Rows, subject: SubjectRef, { table, row }: { table: string; row: unknown }): void {
  const byTable = rows.get(subject) ?? new Map<string, { row: unknown; changedAt: number }[]>();
  rows.set(subject, byTable);
  byTable.set(table, [...(byTable.get(table) ?? []), { row, changedAt: 0 }]);
}

function addRecording(rows: Rows, number: number): SubjectRef {
  const track = trackOf(number);
  const key: SubjectRef = `recording:${number.toString(16).padStart(64, '0')}`;
  add(rows, key, {
    table: mbRecording.table,
    row: {
      artist_cluster_id: track.artist,
      artist_credit: track.credit,
      title: track.title,
      length_ms: track.lengthMs,
      release_count: track.releases,
    },
  });
  return key;
}

/** Items hold the tracks with the numbers from `first` on. */
const itemAfter =
  (first: number): AddRows =>
  (rows, item) => {
    const key: SubjectRef = `storefront-item:${item}`;
    add(rows, key, { table: storefrontItem.table, row: { title: `Release ${item}` } });
    for (let track_no = 1; track_no <= TRACKS_AN_ITEM; track_no++) {
      const track = trackOf(first + item * TRACKS_AN_ITEM + track_no - 1);
      add(rows, key, {
        table: storefrontTrack.table,
        row: {
          track_no,
          cluster_id: track.artist,
          artist_name: track.credit,
          title: track.title,
          duration_ms: track.lengthMs,
          track_url: null,
        },
      });
    }
    return key;
  };
