import { describe, expect, it } from 'vitest';
import { artistFacetRows, boundArtist, clusterOnlyArtist } from '../../../../test/support/rows/artist.ts';
import { rowsOf } from '../../../../test/support/rows/source-rows.ts';
import { clusterAuthorityIdsV1 } from '../../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistWebPresence } from '../../../contracts/seen/artist-web-presence.ts';
import type { ArtistRows } from '../facet.ts';
import { webPresence } from './web-presence.ts';

const declared = rowsOf(artistWebPresence, {
  storefront_url: 'https://shop.test',
  audioshare_url: 'https://audio.test',
  photoshare_url: 'https://photo.test',
  website_url: 'https://own.test',
  streaming_url: 'https://stream.test/declared',
  videoshare_url: 'https://video.test/declared',
  listing_status: 'listed',
  country: 'DE',
  first_event_at: '2010-01-01',
  catalog_artist_id_claimed: 5,
  follower_count: 1200,
});

const signalsOf = (rows: ArtistRows) => (webPresence.build(rows).value as { signals: unknown }).signals;

describe.each([boundArtist, clusterOnlyArtist])('web_presence in the $lane lane', (subject) => {
  const self = {
    storefrontUrl: 'https://shop.test',
    audioshareUrl: 'https://audio.test',
    photoshareUrl: 'https://photo.test',
    websiteUrl: 'https://own.test',
    streamingUrl: 'https://stream.test/declared',
    videoshareUrl: 'https://video.test/declared',
    listingStatus: 'listed',
    country: 'DE',
    firstEventAt: '2010-01-01',
    catalogArtistIdClaimed: 5,
    followerCount: 1200,
  };

  it('takes the pages that the artist declares', () => {
    expect(signalsOf(artistFacetRows(subject, declared))).toEqual(self);
  });

  it('prefers pages that an authority verified, the surest first', () => {
    const stream = { scheme: 'streaming', verified: true } as const;
    const authorities = rowsOf(
      clusterAuthorityIdsV1,
      {
        ...stream,
        value: '1',
        url: 'https://stream.test/unverified',
        confidence: 1,
        verified: false,
      },
      { ...stream, value: '2', url: null, confidence: 1 },
      {
        ...stream,
        value: '0',
        url: 'https://stream.test/unsure',
        confidence: 0.5,
      },
      {
        ...stream,
        value: '4',
        url: 'https://stream.test/second',
        confidence: 0.9,
      },
      {
        ...stream,
        value: '3',
        url: 'https://stream.test/first',
        confidence: 0.9,
      },
      {
        scheme: 'website',
        value: 'w',
        url: 'https://other.test',
        confidence: 1,
        verified: true,
      },
    );
    expect(signalsOf(artistFacetRows(subject, declared, authorities))).toEqual({
      ...self,
      streamingUrl: 'https://stream.test/first',
    });
  });

  it('is present with an authority alone', () => {
    const authorities = rowsOf(clusterAuthorityIdsV1, {
      scheme: 'videoshare',
      url: 'https://video.test/verified',
      verified: true,
    });
    expect(signalsOf(artistFacetRows(subject, authorities))).toEqual({
      storefrontUrl: null,
      audioshareUrl: null,
      photoshareUrl: null,
      websiteUrl: null,
      streamingUrl: null,
      videoshareUrl: 'https://video.test/verified',
      listingStatus: null,
      country: null,
      firstEventAt: null,
      catalogArtistIdClaimed: null,
      followerCount: null,
    });
  });

  it('is empty if an authority has only other pages', () => {
    const authorities = rowsOf(clusterAuthorityIdsV1, {
      scheme: 'website',
      url: 'https://a.test',
      verified: true,
    });
    expect(webPresence.build(artistFacetRows(subject, authorities)).state).toBe('empty');
  });
});
