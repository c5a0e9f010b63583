import { describe, expect, it } from 'vitest';
import { artistFacetRows, boundArtist, clusterOnlyArtist } from '../../../../test/support/rows/artist.ts';
import { OTHER_CLUSTER, rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { editorialWebLink } from '../../../contracts/editorial/web-link.ts';
import { mbArtistWork } from '../../../contracts/mb/artist-work.ts';
import { artistCoEvent } from '../../../contracts/seen/artist-co-event.ts';
import { artistDatedAppearance } from '../../../contracts/seen/artist-dated-appearance.ts';
import { acrossTheWeb } from './across-the-web.ts';
import { compositions } from './compositions.ts';
import { connections } from './connections.ts';
import { datedAppearance } from './dated-appearance.ts';

const many = <T>(howMany: number, row: (index: number) => T): T[] =>
  Array.from({ length: howMany }, (_, index) => row(index));

describe.each([boundArtist, clusterOnlyArtist])('in the $lane lane', (subject) => {
  it('across_the_web lists the surest links first, the unrated last', () => {
    const links = rowsOf(
      editorialWebLink,
      { link_id: 'd', source: 'blog', url: 'https://d.test' },
      { link_id: 'c', source: 'blog', url: 'https://c.test', confidence: 0.5 },
      { link_id: 'b', source: 'blog', url: 'https://b.test', confidence: 0.5 },
      {
        link_id: 'a',
        source: 'listing',
        source_subtype: 'profile',
        url: 'https://a.test',
        title: 'A',
        description: 'About A',
        confidence: 0.9,
      },
    );
    const blog = (id: string, confidence: number | null) => ({
      source: 'blog',
      sourceSubtype: null,
      url: `https://${id}.test`,
      title: null,
      description: null,
      confidence,
    });
    expect(acrossTheWeb.build(artistFacetRows(subject, links)).value).toEqual({
      state: 'present',
      signals: {
        count: 4,
        links: [
          {
            source: 'listing',
            sourceSubtype: 'profile',
            url: 'https://a.test',
            title: 'A',
            description: 'About A',
            confidence: 0.9,
          },
          blog('b', 0.5),
          blog('c', 0.5),
          blog('d', null),
        ],
      },
    });
  });

  it('connections lists the strongest ties first: shared events, then venues, then the name', () => {
    const met = { other_slug: 'slug', co_venue_count: 1 };
    const others = rowsOf(
      artistCoEvent,
      { ...met, other_name: 'D', co_event_count: 2 },
      { ...met, other_name: 'C', co_event_count: 2 },
      { ...met, other_name: 'Z', co_event_count: 2, co_venue_count: 2 },
      {
        other_name: 'A',
        other_slug: 'a',
        other_cluster_id: OTHER_CLUSTER,
        other_catalog_artist_id: 77,
        other_mbid: '00000000-0000-4000-8000-00000000000a',
        co_event_count: 10,
        co_venue_count: 1,
        last_co_at: '2019-05-01',
      },
    );
    const unknown = (name: string, coVenueCount: number) => ({
      clusterId: null,
      catalogArtistId: null,
      mbid: null,
      name,
      slug: 'slug',
      coEventCount: 2,
      coVenueCount,
      lastCoAt: null,
    });
    expect(connections.build(artistFacetRows(subject, others)).value).toEqual({
      state: 'present',
      signals: {
        count: 4,
        related: [
          {
            clusterId: OTHER_CLUSTER,
            catalogArtistId: 77,
            mbid: '00000000-0000-4000-8000-00000000000a',
            name: 'A',
            slug: 'a',
            coEventCount: 10,
            coVenueCount: 1,
            lastCoAt: '2019-05-01',
          },
          unknown('Z', 2),
          unknown('C', 1),
          unknown('D', 1),
        ],
      },
    });
  });

  it('compositions lists the most widely owned works first', () => {
    const mbid = (last: string) => `00000000-0000-4000-8000-00000000000${last}`;
    const numbers = {
      version_collectors: 3,
      version_depth: 2,
      n_recordings_global: 8,
    };
    const works = rowsOf(
      mbArtistWork,
      { ...numbers, work_mbid: mbid('2'), work_name: 'Two', owner_reach: 9 },
      { ...numbers, work_mbid: mbid('1'), work_name: 'One', owner_reach: 9 },
      { ...numbers, work_mbid: mbid('3'), work_name: 'Three', owner_reach: 10 },
    );
    const work = (last: string, workName: string, ownerReach: number) => ({
      workMbid: mbid(last),
      workName,
      ownerReach,
      versionCollectors: 3,
      versionDepth: 2,
      nRecordingsGlobal: 8,
    });
    expect(compositions.build(artistFacetRows(subject, works)).value).toEqual({
      state: 'present',
      signals: {
        works: [work('3', 'Three', 10), work('1', 'One', 9), work('2', 'Two', 9)],
      },
    });
  });

  it('dated_appearance lists every kind of source by its name', () => {
    const kinds = rowsOf(
      artistDatedAppearance,
      { source_kind: 'press', appearance_count: 4 },
      {
        source_kind: 'airplay',
        first_appearance_date: '2012-01-01',
        latest_appearance_date: '2019-01-01',
        appearance_count: 40,
      },
    );
    expect(datedAppearance.build(artistFacetRows(subject, kinds)).value).toEqual({
      state: 'present',
      signals: {
        count: 2,
        sources: [
          {
            sourceKind: 'airplay',
            firstAppearanceDate: '2012-01-01',
            latestAppearanceDate: '2019-01-01',
            appearanceCount: 40,
          },
          {
            sourceKind: 'press',
            firstAppearanceDate: null,
            latestAppearanceDate: null,
            appearanceCount: 4,
          },
        ],
      },
    });
  });
});

describe('long lists keep their strongest entries', () => {
  it('fifty links of those on file', () => {
    const links = many(51, (index) => ({
      url: `https://${index}.test`,
      confidence: index / 100,
    }));
    const { signals } = acrossTheWeb.build(artistFacetRows(boundArtist, rowsOf(editorialWebLink, ...links)))
      .value as {
      signals: { count: number; links: { url: string }[] };
    };
    expect(signals.count).toBe(51);
    expect(signals.links.map((link) => link.url)).toEqual(many(50, (index) => `https://${50 - index}.test`));
  });

  it('twenty-four ties of those on file', () => {
    const others = many(25, (index) => ({
      other_name: `Other ${index}`,
      co_event_count: index,
    }));
    const { signals } = connections.build(artistFacetRows(boundArtist, rowsOf(artistCoEvent, ...others)))
      .value as {
      signals: { count: number; related: { name: string }[] };
    };
    expect(signals.count).toBe(25);
    expect(signals.related.map((other) => other.name)).toEqual(many(24, (index) => `Other ${24 - index}`));
  });

  it('twenty-five works', () => {
    const works = many(26, (index) => ({
      work_name: `Work ${index}`,
      owner_reach: index,
    }));
    const { signals } = compositions.build(artistFacetRows(boundArtist, rowsOf(mbArtistWork, ...works)))
      .value as {
      signals: { works: { workName: string }[] };
    };
    expect(signals.works.map((work) => work.workName)).toEqual(many(25, (index) => `Work ${25 - index}`));
  });
});
