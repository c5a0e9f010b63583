import { expect, it } from 'vitest';
import { clusterArrivalLedgerV1 } from '../../../projections/contracts/fleet/cluster-arrival-ledger-v1.ts';
import { clusterBreakEventV1 } from '../../../projections/contracts/fleet/cluster-break-event-v1.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { spineArtistNamePublishedView } from '../../../projections/contracts/spine/spine-artist-name-published-view.ts';
import { auraIndex } from '../../../projections/models/aura/compute.ts';
import { loadSample, rowsIn } from '../../../test/support/ingest/load-sample.ts';
import { withDiscovery } from '../../../test/support/query/discovery.ts';
import { AuraBody, AuraListBody } from './aura.ts';

const { pool, publish, get } = withDiscovery((pool, registry) =>
  loadSample(pool, registry, [
    clusterArrivalLedgerV1,
    clusterBreakEventV1,
    performingEntity,
    spineArtistNamePublishedView,
  ]),
);

/** Computes the index in SQL, for the day `$1`. */
const EXPECTED = `
  with ${rowsIn('ledger', clusterArrivalLedgerV1)}, ${rowsIn('event', clusterBreakEventV1)},
    ${rowsIn('performing', performingEntity)}, ${rowsIn('published_name', spineArtistNamePublishedView)},
    arrival as (
      select subject, row->>'dimension' as dimension, (row->>'first_arrived_at')::date as first_at,
        (row->>'latest_at')::date as latest_at
      from ledger
    ),
    broken as (select subject, (row->>'break_event_at')::date as at from event),
    known_broken as (select subject, at from broken where at <= $1::date),
    reached as (
      select subject, first_at as at, row_number() over (partition by subject order by first_at) as depth
      from arrival
    ),
    odds as (
      select depth, case when count(*) >= 30 then round(100.0 * count(*) filter (
        where broken.at between reached.at and reached.at + interval '12 months') / count(*), 1)::float8 end as rate
      from reached left join broken using (subject)
      where reached.at <= $1::date - interval '12 months'
      group by depth
    ),
    lit as (
      select subject, count(*) as depth, min(first_at) as first_at, max(first_at) as newest_at,
        array_agg(dimension order by first_at, dimension) as dimensions
      from arrival
      where latest_at between $1::date - interval '18 months' and $1::date
      group by subject having count(*) >= 2
    )
  select subject as cluster_id,
    coalesce(performing.row->>'name', published_name.row->>'display') as artist_name,
    depth::int as convergence_dim_count, dimensions, rate as break_odds, first_at::text as first_signal_at,
    newest_at::text as latest_appearance_at, known_broken.at is not null as has_break_event,
    known_broken.at::text as break_event_at
  from lit
    left join odds using (depth)
    left join known_broken using (subject)
    left join performing using (subject)
    left join published_name using (subject)
  order by depth desc, rate desc nulls last, newest_at desc, subject`;

it.each([
  ['2019-06-30', 186],
  ['2013-08-31', 22],
  ['2016-02-29', 36],
  ['2021-08-29', 0],
])('on %s it equals the index computed by SQL', async (day, atLeast) => {
  const { entries } = await publish(auraIndex, day);
  const { rows } = await pool.query(EXPECTED, [day]);
  expect(entries).toBe(rows.length);
  const { items, about } = await get('/api/v2/aura?limit=200', AuraListBody);
  expect(items).toEqual(rows.slice(0, 200));
  expect(rows.length).toBeGreaterThanOrEqual(atLeast);
  expect(about).toMatchObject({ scope: { as_of: day } });
});

it('returns each artist of the sample as in the list', async () => {
  await publish(auraIndex, '2019-06-30');
  const { rows } = await pool.query(EXPECTED, ['2019-06-30']);
  for (const row of [rows[0], rows[rows.length >> 1], rows.at(-1)])
    expect(await get(`/api/v2/aura/${row.cluster_id}`, AuraBody)).toEqual({
      present: true,
      state: 'present',
      aura: row,
    });
  expect(rows.filter(({ break_odds }) => break_odds !== null).length).toBeGreaterThan(100);
});
