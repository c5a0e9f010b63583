import { beforeAll, describe, expect, it } from 'vitest';
import { catalogArtist } from '../../projections/contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../projections/contracts/catalog/artist-behavior.ts';
import { catalogLabel } from '../../projections/contracts/catalog/label.ts';
import { catalogLabelBehavior } from '../../projections/contracts/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../projections/contracts/catalog/label-co-ownership.ts';
import { catalogMaster } from '../../projections/contracts/catalog/master.ts';
import { catalogMasterCube } from '../../projections/contracts/catalog/master-cube.ts';
import type { RowOf } from '../../projections/contracts/columns.ts';
import type { Source } from '../../projections/contracts/contract.ts';
import { mbRecording } from '../../projections/contracts/mb/recording.ts';
import { clusterAuthorityIdsV1 } from '../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { artistEmergenceNarrativePublic } from '../../projections/contracts/seen/artist-emergence-narrative-public.ts';
import { artistIdentityBridge } from '../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { artistWebPresence } from '../../projections/contracts/seen/artist-web-presence.ts';
import { festival } from '../../projections/contracts/seen/festival.ts';
import { festivalEdition } from '../../projections/contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../projections/contracts/seen/festival-lineup.ts';
import { labelDjsetMomentum } from '../../projections/contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../projections/contracts/seen/label-identity-bridge.ts';
import { masterPropagationTimelineCluster } from '../../projections/contracts/seen/master-propagation-timeline-cluster.ts';
import { performingEntity } from '../../projections/contracts/seen/performing-entity.ts';
import { storefrontItem } from '../../projections/contracts/storefront/item.ts';
import { storefrontTrack } from '../../projections/contracts/storefront/track.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { liveVersion } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { ingestBatch } from '../../workers/ingest/apply/ingest-batch.ts';
import { drain } from '../../workers/project/drain.ts';
import type { ProducerChange } from '../support/history/history.ts';
import { deliveries, repeat } from '../support/ingest/delivery.ts';
import { differingKeys, documentsOf } from '../support/projections/documents.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { rowsOf } from '../support/rows/source-rows.ts';
import { withDatabase } from '../support/services/database.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const LABEL = 'c3'.repeat(32);
const NEIGHBOUR = 'd4'.repeat(32);
const RECORDING = 'e5'.repeat(32);

/** Two of each kind, and what joins the first of each; the second are there to be left alone. */
const world: ProducerChange[] = [
  ...writes(catalogArtist, { catalog_artist_id: 1, slug: 'first' }, { catalog_artist_id: 2, slug: 'second' }),
  ...writes(catalogArtistBehavior, { catalog_artist_id: 1 }, { catalog_artist_id: 2 }),
  ...writes(performingEntity, { cluster_id: A, slug: 'first' }, { cluster_id: B, slug: 'other' }),
  ...writes(
    artistIdentityBridge,
    { cluster_id: A, catalog_artist_id: 1, catalog_artist_id_count: 1, is_exact: true },
    { cluster_id: B, catalog_artist_id: null },
  ),
  ...writes(
    artistMomentum,
    { cluster_id: A, emergence_tier: 'steady' },
    { cluster_id: B, emergence_tier: 'steady' },
  ),
  ...writes(artistEmergenceNarrativePublic, { cluster_id: A, tier: 'rising' }, { cluster_id: B }),
  ...writes(
    clusterAuthorityIdsV1,
    { cluster_id: A, scheme: 'storefront', value: 'first', verified: false },
    { cluster_id: B, scheme: 'storefront', value: 'second' },
  ),
  ...writes(artistWebPresence, { cluster_id: A }, { cluster_id: B }),
  ...writes(festival, { festival_id: 'f1', slug: 'one' }, { festival_id: 'f2', slug: 'two' }),
  ...writes(
    festivalEdition,
    { edition_id: 'e1', festival_id: 'f1', year: 2018 },
    { edition_id: 'e2', festival_id: 'f2', year: 2018 },
  ),
  ...writes(
    festivalLineup,
    { edition_id: 'e1', festival_id: 'f1', artist_cluster_id: A },
    { edition_id: 'e2', festival_id: 'f2', artist_cluster_id: B },
  ),
  ...writes(catalogLabel, { catalog_label_id: 9, slug: 'nine' }, { catalog_label_id: 10, slug: 'ten' }),
  ...writes(catalogLabelBehavior, { catalog_label_id: 9 }, { catalog_label_id: 10 }),
  ...writes(
    labelIdentityBridge,
    { cluster_id: LABEL, catalog_label_id: 9, catalog_label_id_count: 1, slug: 'nine' },
    { cluster_id: NEIGHBOUR, catalog_label_id: null, slug: 'neighbour' },
  ),
  ...writes(catalogLabelCoOwnership, { cluster_id: LABEL, other_cluster_id: NEIGHBOUR, support: 8 }),
  ...writes(labelDjsetMomentum, { cluster_id: LABEL, play_count: 4, plays_last_365d: 1 }),
  ...writes(
    catalogMaster,
    { master_id: 101, catalog_artist_ids: [1], artist_cluster_id: A },
    { master_id: 102, catalog_artist_ids: [2], artist_cluster_id: null },
  ),
  ...writes(catalogMasterCube, { master_id: 101 }, { master_id: 102 }),
  ...writes(masterPropagationTimelineCluster, { cluster_id: A, master_id: 101, channel: 'dj' }),
  ...writes(storefrontItem, { item_id: 'i1', cluster_id: A }, { item_id: 'i2', cluster_id: B }),
  ...writes(storefrontTrack, { item_id: 'i1', track_no: 1, cluster_id: A }),
  ...writes(
    mbRecording,
    { cluster_id: RECORDING, artist_cluster_id: A, isrcs: ['USRC17607839'] },
    { cluster_id: 'f6'.repeat(32), artist_cluster_id: A },
  ),
];

function writes<S extends Source>(source: S, ...rows: Partial<RowOf<S['columns']>>[]): ProducerChange[] {
  return rowsOf(source, ...rows).rows.map((row) => ({ source, kind: 'write', row, unavailable: [] }));
}

/** The row of the first of its kind, changed. */
function change<S extends Source>(source: S, columns: Partial<RowOf<S['columns']>>): ProducerChange {
  const first = world.find((rowChange) => rowChange.source === source);
  if (first === undefined) throw new Error(`${source.table} has no row`);
  return { ...first, row: { ...first.row, ...columns } };
}

const ARTIST = [`artist artist:${A}`, 'artist catalog-artist:1'];
const IDENTITY = [`identity artist:${A}`, 'identity catalog-artist:1'];
const PREVIEW = [`preview artist:${A}`, 'preview catalog-artist:1'];
const BROWSE = 'browse catalog-artist:1';
const MASTER = 'master master:101';
const SEARCH = 'search master:101';
const RELEASE = 'storefront-release storefront-item:i1';
const SOLD = 'storefront-track storefront-item:i1';
const RECORDED = `mb-track recording:${RECORDING}`;
const LABELS = ['label catalog-label:9', `label label:${LABEL}`];

describe('one event', () => {
  const database = withDatabase();
  let registry: Registry;
  const rowChanges = [...world];

  beforeAll(async () => {
    registry = await registerSources(database.pool);
    for (const { topic, batches } of deliveries(world, repeat(1), registry)) {
      const records = batches.flatMap((batch) => batch.records);
      await ingestBatch(database.pool, registry, {
        topicPartition: { group: 'world', topic, partition: 0 },
        records,
        from: null,
        to: 1,
      });
    }
    for (const projection of projections) await rebuild(database.pool, projection, registry);
  });

  const documents = async (): Promise<Map<string, string>> => {
    const all = new Map<string, string>();
    for (const { name } of projections) {
      const version = await liveVersion(database.pool, name);
      if (version === null) throw new Error(`${name} is not live`);
      for (const [key, content] of await documentsOf(database.pool, version))
        all.set(`${name} ${key}`, content);
    }
    return all;
  };

  // A changed row moves refreshedAt in every dossier it feeds, whatever its column.
  it.each([
    ['a changed profile', change(catalogArtist, { profile: 'new' }), ['artist catalog-artist:1', MASTER]],
    [
      'a new tier',
      change(artistMomentum, { emergence_tier: 'rising' }),
      [...ARTIST, BROWSE, ...PREVIEW, 'festival festival:f1'],
    ],
    [
      'more collectors who own an artist',
      change(catalogArtistBehavior, { owner_reach: 9 }),
      ['artist catalog-artist:1', BROWSE],
    ],
    [
      'more collectors who want one',
      change(catalogArtistBehavior, { owner_reach: 9, wantlist_demand: 9 }),
      ['artist catalog-artist:1'],
    ],
    ['another step of a career', change(artistEmergenceNarrativePublic, { tier: 'breakout' }), PREVIEW],
    ['a festival that moved', change(festival, { city: 'Sonar' }), ['festival festival:f1']],
    ['an edition that found a venue', change(festivalEdition, { venue: 'Hall' }), ['festival festival:f1']],
    ['a line-up row with a stage', change(festivalLineup, { stage: 'Main' }), ['festival festival:f1']],
    ["a label's profile", change(catalogLabel, { profile: 'new' }), ['label catalog-label:9']],
    ["a label's reach", change(catalogLabelBehavior, { owner_reach: 7 }), ['label catalog-label:9']],
    ['a flag of a bridged label', change(labelIdentityBridge, { has_editorial: true }), LABELS],
    ['a nearer label', change(catalogLabelCoOwnership, { npmi: 0.9 }), LABELS],
    ['a label that is played more', change(labelDjsetMomentum, { play_count: 5 }), LABELS],
    ['a new title', change(catalogMaster, { title: 'new' }), [...ARTIST, MASTER, SEARCH]],
    ['more DJs', change(catalogMasterCube, { dj_count: 3 }), [MASTER, SEARCH]],
    ['more owners', change(catalogMasterCube, { dj_count: 3, owner_count: 3 }), [MASTER, SEARCH]],
    [
      'a master seen later',
      change(masterPropagationTimelineCluster, { latest_seen_at: '2020-01-01' }),
      [MASTER],
    ],
    ['words about a release', change(storefrontItem, { about: 'new' }), [...ARTIST, RELEASE]],
    ['a track of another length', change(storefrontTrack, { duration_ms: 9_000 }), [RELEASE, SOLD]],
    [
      'a track of another title',
      change(storefrontTrack, { title: 'new' }),
      [RELEASE, 'recording storefront-item:i1', SOLD],
    ],
    [
      'a recording on more releases',
      change(mbRecording, { release_count: 9 }),
      [RECORDED, `recording recording:${RECORDING}`],
    ],
    [
      'a recording of another length',
      change(mbRecording, { release_count: 9, length_ms: 9_000 }),
      [RECORDED],
    ],
    ['a page that was verified', change(clusterAuthorityIdsV1, { verified: true }), [...ARTIST, ...IDENTITY]],
    [
      'a page that is declared',
      change(artistWebPresence, { website_url: 'https://first.example' }),
      [...ARTIST, ...IDENTITY],
    ],
    [
      'more followers',
      change(artistWebPresence, { website_url: 'https://first.example', follower_count: 9 }),
      ARTIST,
    ],
  ])('%s rewrites what says so and nothing else', async (_name, rowChange, expected) => {
    const before = await documents();
    rowChanges.push(rowChange);
    await ingestLast();
    const { changed } = await drain(database.pool, registry);
    expect(differingKeys(await documents(), before)).toEqual([...expected].sort());
    expect(changed).toBe(expected.length);
  });

  /** Delivers only the newest row change, after all earlier ones. */
  async function ingestLast(): Promise<void> {
    const topic = `producers.${rowChanges.at(-1)?.source.table}`;
    const delivery = deliveries(rowChanges, repeat(1), registry).find((one) => one.topic === topic);
    const last = delivery?.batches.at(-1)?.records.at(-1);
    if (last === undefined) throw new Error(`nothing was delivered to ${topic}`);
    const place = { group: `event ${rowChanges.length}`, topic, partition: 0 };
    await ingestBatch(database.pool, registry, {
      topicPartition: place,
      records: [last],
      from: null,
      to: last.record.offset + 1,
    });
  }
});
