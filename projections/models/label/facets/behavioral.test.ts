import { expect, it } from 'vitest';
import { aboutLabel, boundLabel, labelFacetRows } from '../../../../test/support/rows/label.ts';
import { catalogLabelBehavior } from '../../../contracts/catalog/label-behavior.ts';
import { behavioral } from './behavioral.ts';

it('carries the row of the catalogue', () => {
  const row = aboutLabel(catalogLabelBehavior, {
    owner_reach: 1_200,
    release_count: 340,
    artist_count: 56,
    first_year: 1989,
    latest_year: 2019,
    primary_genre: 'Electronic',
    primary_styles: ['IDM', 'Ambient'],
  });
  expect(behavioral.build(labelFacetRows(boundLabel, row)).value).toEqual({
    state: 'present',
    signals: {
      ownerReach: { kind: 'count', value: 1_200 },
      releaseCount: 340,
      artistCount: 56,
      firstYear: 1989,
      latestYear: 2019,
      primaryGenre: 'Electronic',
      primaryStyles: ['IDM', 'Ambient'],
    },
  });
});

it('distinguishes unknown from none', () => {
  const unknown = aboutLabel(catalogLabelBehavior, {});
  expect(behavioral.build(labelFacetRows(boundLabel, unknown)).value).toEqual({
    state: 'present',
    signals: {
      ownerReach: null,
      releaseCount: null,
      artistCount: null,
      firstYear: null,
      latestYear: null,
      primaryGenre: null,
      primaryStyles: [],
    },
  });
  const none = aboutLabel(catalogLabelBehavior, { owner_reach: 0, release_count: 0 });
  expect(behavioral.build(labelFacetRows(boundLabel, none)).value).toMatchObject({
    signals: { ownerReach: { kind: 'count', value: 0 }, releaseCount: 0 },
  });
});
