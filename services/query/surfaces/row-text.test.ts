import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SurfaceSource } from '../../../projections/contracts/surfaces.ts';
import { surfaceByName } from '../../../projections/contracts/surfaces.ts';
import { membersOf, rowWriter } from './row-text.ts';

const surface = (name: string): SurfaceSource => {
  const found = surfaceByName.get(name);
  if (found === undefined) throw new Error(`there is no surface ${name}`);
  return found;
};

describe('membersOf', () => {
  it('splits any object and keeps the text of every value', () => {
    const text = fc
      .array(fc.constantFrom('"', '\\', ',', ':', '{', '}', '[', ']', 'a', '\n', '\0', '漢', '𝄞', '\ud834'))
      .map((parts) => parts.join(''));
    const value = fc.oneof(fc.jsonValue(), text);
    fc.assert(
      fc.property(fc.dictionary(text, value, { noNullPrototype: true }), (object) => {
        const members = [...membersOf(JSON.stringify(object))];
        expect(members.map(([name, text]) => [JSON.parse(`"${name}"`), text])).toEqual(
          Object.entries(object).map(([name, member]) => [name, JSON.stringify(member)]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('terminates on text that is not an object', () => {
    for (const text of ['', '{', '{"', '{"a', '{"a"', '{"a":', '{"a":"', '{"a":[', '{"a\\"', 'null'])
      expect(membersOf(text).size, text).toBeLessThanOrEqual(1);
  });
});

describe('rowWriter', () => {
  it('serves exactly the columns of the contract, in order', () => {
    const write = rowWriter(surface('seen.artist_signal_known_since'));
    expect(
      write('{"zeta":{"signal":1},"known_since":"2019-06-30","signal":"a \\"b\\", {c}","cluster_id":"c1"}'),
    ).toBe('{"cluster_id":"c1","signal":"a \\"b\\", {c}","known_since":"2019-06-30"}');
  });

  it('serves null for a missing column', () => {
    const write = rowWriter(surface('seen.artist_emergence_lead_time'));
    expect(write('{"cluster_id":"c1","press_to_airplay_days":-3}')).toBe(
      '{"cluster_id":"c1","press_to_airplay_days":-3,"underground_to_booking_days":null}',
    );
  });

  it('keeps every digit of a number', () => {
    const write = rowWriter(surface('mirror.listen_flow_by_cluster_v1'));
    const row =
      '{"cluster_id":"c1","week":"2019-06-24","listeners":9223372036854775807,"listens":-9007199254740993,"listens_delta":0.1000000000000000055511151231257827}';
    expect(write(row)).toBe(row);
  });

  it('serves the cluster of the temporal profile under its served name', () => {
    const write = rowWriter(surface('public.spine_artist_temporal_profile'));
    expect(JSON.parse(write('{"cluster_id":"c1","active_decades":[1990,2000]}'))).toEqual({
      cluster_id_hex: 'c1',
      resolved_artist_catalog_id: null,
      master_count_with_year: null,
      earliest_release_year: null,
      latest_release_year: null,
      year_span: null,
      active_decades: [1990, 2000],
    });
  });

  it.each([
    ['mirror.wantlist_demand_by_cluster_v1', 'wantlist_demand'],
    ['seen.storefront_artist_gravity', 'wishlist_demand'],
  ])('serves fewer than five wishes as zero: %s', (name, column) => {
    const write = rowWriter(surface(name));
    const served = ['4', '5', '0', '-1', 'null', '9223372036854775807'].map((wishes) =>
      membersOf(write(`{"cluster_id":"c1","owner_reach":1,"${column}":${wishes}}`)),
    );
    expect(served.map((row) => row.get(column))).toEqual(['0', '5', '0', '0', 'null', '9223372036854775807']);
    expect(new Set(served.map((row) => row.get('owner_reach')))).toEqual(new Set(['1']));
  });

  it('hides columns that distinguish few wishes from none', () => {
    const write = rowWriter(surface('seen.storefront_artist_gravity'));
    const served = (wishes: number | null) =>
      JSON.parse(
        write(
          `{"cluster_id":"c1","owner_reach":3,"wishlist_demand":${wishes},"earliest_supported_at":"2015-01-01",` +
            '"earliest_wished_at":"2016-01-01","demand_coverage":0.2,"wished_coverage":0.4,"also_own_degree":8}',
        ),
      );
    const row = {
      cluster_id: 'c1',
      owner_reach: 3,
      earliest_supported_at: '2015-01-01',
      earliest_wished_at: '2016-01-01',
      demand_coverage: 0.2,
      wished_coverage: 0.4,
      also_own_degree: 8,
    };
    for (const wishes of [0, 1, 4])
      expect(served(wishes)).toEqual({
        ...row,
        wishlist_demand: 0,
        earliest_wished_at: null,
        wished_coverage: null,
      });
    for (const wishes of [5, null]) expect(served(wishes)).toEqual({ ...row, wishlist_demand: wishes });
  });
});
