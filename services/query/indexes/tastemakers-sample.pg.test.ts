import { expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { artistAirplayFirstAppearance } from '../../../projections/contracts/seen/artist-airplay-first-appearance.ts';
import { artistBrokerage } from '../../../projections/contracts/seen/artist-brokerage.ts';
import { artistDjsetFirstAppearance } from '../../../projections/contracts/seen/artist-djset-first-appearance.ts';
import { artistEmergenceLeadTime } from '../../../projections/contracts/seen/artist-emergence-lead-time.ts';
import { artistFestivalCoAppearance } from '../../../projections/contracts/seen/artist-festival-co-appearance.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { artistNetworkPosition } from '../../../projections/contracts/seen/artist-network-position.ts';
import { djTastemakerScore } from '../../../projections/contracts/seen/dj-tastemaker-score.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../../projections/contracts/spine/spine-artist-name-published-view.ts';
import { breakoutsIndex } from '../../../projections/models/breakouts/compute.ts';
import { tastemakersIndex } from '../../../projections/models/tastemakers/compute.ts';
import { loadSample, rowsIn } from '../../../test/support/ingest/load-sample.ts';
import { withDiscovery } from '../../../test/support/query/discovery.ts';
import { BreakoutsBody } from './breakouts.ts';
import { TastemakersBody } from './tastemakers.ts';

const DAY = '2019-06-30';

const discovery = withDiscovery((pool, registry) =>
  loadSample(pool, registry, [
    artistBrokerage,
    artistNetworkPosition,
    artistMomentum,
    artistEmergenceLeadTime,
    djTastemakerScore,
    artistPressMentions,
    artistAirplayFirstAppearance,
    artistDjsetFirstAppearance,
    artistFestivalCoAppearance,
    catalogArtist,
    artistIdentityBridge,
    performingEntity,
    spineArtistNamePublishedView,
  ]),
);
const { pool, publish, get, ask } = discovery;

/** Names and catalogue ids of clusters, computed by SQL. */
const NAMES = `
  ${rowsIn('performing', performingEntity)}, ${rowsIn('spine', spineArtistNamePublishedView)},
  ${rowsIn('bridge', artistIdentityBridge)}, ${rowsIn('catalogue', catalogArtist)},
  bound as (
    select distinct on (catalogue.subject) bridge.subject, catalogue.row->>'name' as name,
      catalogue.subject::int as id
    from bridge join catalogue on catalogue.subject = bridge.row->>'catalog_artist_id'
    where (bridge.row->>'catalog_artist_id_count')::int <= 1
    order by catalogue.subject, (bridge.row->>'is_exact')::boolean desc,
      (bridge.row->>'confidence')::float8 desc, bridge.subject
  ),
  named as (
    select subject, coalesce(bound.name, performing.row->>'name', spine.row->>'display') as name, bound.id
    from performing full join spine using (subject) full join bound using (subject)
  )`;

const LEADERBOARD = `
  with ${rowsIn('brokerage', artistBrokerage)}, ${rowsIn('network', artistNetworkPosition)},
    ${rowsIn('momentum', artistMomentum)}, ${rowsIn('lead', artistEmergenceLeadTime)}, ${NAMES}
  select (row_number() over places)::int as rank, named.name, named.id as "catalogArtistId",
    momentum.row->>'emergence_tier' as "ownTier", degree, (network.row->>'emerging_neighbours')::int as "emergingNeighbours",
    100 * (network.row->>'emerging_neighbours')::float8 / degree as "pctEmerging", score as "brokerageScore",
    (brokerage.row->>'ego_density')::float8 as "egoDensity",
    (lead.row->>'underground_to_booking_days')::int as "undergroundToBookingDays",
    (lead.row->>'press_to_airplay_days')::int as "pressToAirplayDays"
  from brokerage
    join network using (subject)
    join momentum using (subject)
    left join lead using (subject)
    left join named using (subject)
    cross join lateral (
      select (network.row->>'degree')::int as degree, (brokerage.row->>'brokerage_score')::float8 as score
    ) numbers
  window places as (order by score desc nulls last, degree desc, subject)
  order by rank limit 200`;

const ONES_TO_WATCH = `
  with ${rowsIn('network', artistNetworkPosition)}, ${rowsIn('momentum', artistMomentum)},
    ${rowsIn('press', artistPressMentions)}, ${rowsIn('airplay', artistAirplayFirstAppearance)},
    ${rowsIn('djset', artistDjsetFirstAppearance)}, ${rowsIn('brokerage', artistBrokerage)},
    ${rowsIn('shared', artistFestivalCoAppearance)}, ${NAMES}
  select (row_number() over (order by (momentum.row->>'emergence_score')::float8 desc,
      (momentum.row->>'momentum_score')::float8 desc, subject))::int as rank,
    named.name, named.id as "catalogArtistId", momentum.row->>'emergence_tier' as "emergenceTier",
    momentum.row->>'momentum_tier' as "momentumTier", (momentum.row->>'emergence_score')::float8 as "emergenceScore",
    'network-velocity' as profile, 0 as "cultureForwardFestivals", (network.row->>'degree')::int as degree,
    (brokerage.row->>'brokerage_score')::float8 as "brokerageScore",
    (select max((shared.row->>'co_festival_count')::int) from shared where shared.subject = momentum.subject)
      as "coFestivalCount",
    (select max((shared.row->>'co_country_count')::int) from shared where shared.subject = momentum.subject)
      as "coCountryCount",
    array_remove(array[
      case when subject in (select subject from press) then 'press' end,
      case when subject in (select subject from airplay where (row->>'airplay_count')::int > 0) then 'airplay' end,
      case when subject in (select subject from djset where (row->>'djset_count')::int > 0) then 'djset' end
    ], null) as "corroboratingAxes"
  from momentum
    left join network using (subject)
    left join brokerage using (subject)
    left join named using (subject)
  where momentum.row->>'emergence_tier' in ('breakout', 'rising')
    and momentum.row->>'momentum_tier' in ('breakout', 'rising')
  order by rank limit 200`;

const EARLY_SPINNERS = `
  with ${rowsIn('dj', djTastemakerScore)}
  select (row_number() over (order by (row->>'cutting_edge_score')::float8 desc,
      (row->>'masters_played_first')::int desc, subject))::int as rank,
    row->>'dj_name' as "djName", (row->>'total_masters_played')::int as "totalMastersPlayed",
    (row->>'masters_played_first')::int as "mastersPlayedFirst",
    (row->>'masters_played_within_7d')::int as "mastersPlayedWithin7d",
    (row->>'cutting_edge_score')::float8 as "cuttingEdgeScore", row->>'first_play_at' as "firstPlayAt",
    row->>'latest_play_at' as "latestPlayAt"
  from dj order by rank limit 200`;

const BREAKOUTS = `
  with ${rowsIn('momentum', artistMomentum)}, ${rowsIn('press', artistPressMentions)}, ${NAMES},
    item as (
      select subject as "clusterId", named.name, named.id as "catalogArtistId",
        case when named.id is null then 'cluster' else 'catalog' end as "resolvedVia",
        momentum.row->>'emergence_tier' as "emergenceTier", momentum.row->>'momentum_tier' as "momentumTier",
        (momentum.row->>'emergence_score')::float8 as "emergenceScore",
        (momentum.row->>'momentum_score')::float8 as "momentumScore",
        (momentum.row->>'events_recent')::int as "eventsRecent",
        (select count(distinct press.row->>'url') from press where press.subject = momentum.subject)::int as "pressCount"
      from momentum left join named using (subject)
      where momentum.row->>'emergence_tier' in ('breakout', 'rising')
    )
  select *, case when "pressCount" > 0 then 'corroborated' else 'booking_ahead' end as corroboration
  from item
  order by "emergenceScore" desc, "momentumScore" desc, "clusterId"`;

type Rows = Record<string, unknown>[];
const query = async (text: string): Promise<Rows> => (await pool.query(text)).rows;

it('tastemakers of the sample equal those computed by SQL', async () => {
  await publish(tastemakersIndex, DAY);
  const body = await get('/api/v2/tastemakers?limit=200', TastemakersBody);
  for (const [list, text, atLeast] of [
    ['leaderboard', LEADERBOARD, 200],
    ['onesToWatch', ONES_TO_WATCH, 70],
    ['earlySpinners', EARLY_SPINNERS, 30],
  ] as const) {
    const expected = await query(text);
    const found = body[list] as Rows;
    expect(expected.length).toBeGreaterThanOrEqual(atLeast);
    expect(found.length).toBe(expected.length);
    for (const [index, row] of expected.entries()) expect(found[index]).toMatchObject(row);
  }
});

it('ones to watch of the sample link to their artists', async () => {
  await publish(tastemakersIndex, DAY);
  const { onesToWatch } = await get('/api/v2/tastemakers?limit=200', TastemakersBody);
  const linkable = (onesToWatch as Rows).filter((row) => row.linkable);
  expect(linkable.length).toBeGreaterThan(60);
  for (const { slug, name } of linkable) {
    const { identity } = (await ask(`/api/v2/artist/${slug}?fields=identity`)).json();
    expect(identity.name).toBe(name);
  }
});

it('breakouts of the sample equal those computed by SQL, for every filter', async () => {
  await publish(breakoutsIndex, DAY);
  const all = await query(BREAKOUTS);
  expect(all.length).toBeGreaterThan(70);
  for (const tier of [undefined, 'breakout', 'rising'])
    for (const corroboration of [undefined, 'corroborated', 'booking_ahead']) {
      const expected = all.filter(
        (row) =>
          (tier === undefined || row.emergenceTier === tier) &&
          (corroboration === undefined || row.corroboration === corroboration),
      );
      const requested = new URLSearchParams({
        limit: '200',
        ...(tier && { tier }),
        ...(corroboration && { corroboration }),
      });
      const { items } = await get(`/api/v2/breakouts?${requested}`, BreakoutsBody);
      expect((items as Rows).length).toBe(expected.length);
      for (const [index, row] of expected.entries()) expect((items as Rows)[index]).toMatchObject(row);
    }
});
