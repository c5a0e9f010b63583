import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { describe, expect, it } from 'vitest';
import { closed } from '../../../test/closed-schema.ts';
import {
  aboutLabel,
  bound,
  clusterOnly,
  type LabelSubject,
  labelRows,
  unbound,
} from '../../../test/rows/label.ts';
import type { SourceRows } from '../../../test/rows/source-rows.ts';
import type { Facet, FacetValue } from '../../facet.ts';
import type { FacetState } from '../../provenance.ts';
import { catalogLabel } from '../../sources/catalog/label.ts';
import { catalogLabelBehavior } from '../../sources/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../sources/catalog/label-co-ownership.ts';
import { sources } from '../../sources/index.ts';
import { labelDjsetMomentum } from '../../sources/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../sources/seen/label-identity-bridge.ts';
import type { LabelRows } from '../lanes.ts';
import { facets } from './index.ts';

FormatRegistry.Set('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text));

/** Rows that make a facet present, who then has it, and who has no key for it. */
interface Speaking {
  readonly rows: SourceRows;
  readonly present: readonly LabelSubject[];
  readonly gap: readonly LabelSubject[];
  /** What a source says that delivers but has no row; `empty` unless told. */
  readonly withoutRow?: FacetState;
}

const cases: Readonly<Record<string, readonly Speaking[]>> = {
  identity: [
    { rows: aboutLabel(catalogLabel, {}), present: [bound, unbound], gap: [clusterOnly] },
    { rows: aboutLabel(labelIdentityBridge, {}), present: [clusterOnly], gap: [bound, unbound] },
  ],
  binds: [{ rows: aboutLabel(labelIdentityBridge, {}), present: [bound, clusterOnly], gap: [unbound] }],
  presence: [{ rows: aboutLabel(labelIdentityBridge, {}), present: [bound, clusterOnly], gap: [unbound] }],
  behavioral: [{ rows: aboutLabel(catalogLabelBehavior, {}), present: [bound, unbound], gap: [clusterOnly] }],
  travels: [
    {
      rows: aboutLabel(catalogLabelCoOwnership, { support: 5 }),
      present: [bound, clusterOnly],
      gap: [unbound],
    },
  ],
  dj_momentum: [
    {
      rows: aboutLabel(labelDjsetMomentum, { play_count: 1 }),
      present: [bound, clusterOnly],
      gap: [unbound],
      withoutRow: 'honest_gap',
    },
  ],
};

it('knows every facet, in the order of the dossier', () => {
  expect(facets.map((facet) => facet.name)).toEqual(Object.keys(cases));
});

it('feeds every facet from sources that the service accepts', () => {
  for (const facet of facets) expect(sources).toEqual(expect.arrayContaining([...facet.sources]));
});

describe.each(facets)('$name', (facet) => {
  const speakings = cases[facet.name] ?? [];

  it('is present in each lane that has the key', () => {
    for (const { rows, present } of speakings) {
      for (const subject of present) expectState(facet, facet.build(labelRows(subject, rows)), 'present');
    }
  });

  it('is a gap where the lane has no key', () => {
    for (const { rows, gap } of speakings) {
      for (const subject of gap) expectState(facet, facet.build(labelRows(subject, rows)), 'honest_gap');
    }
  });

  it('says so where a source delivers, but nothing on this label', () => {
    for (const { rows, present, withoutRow = 'empty' } of speakings) {
      const delivered = aboutLabel(rows.source);
      for (const subject of present)
        expectState(facet, facet.build(labelRows(subject, delivered)), withoutRow);
    }
  });

  it('is a gap where no source has ever delivered', () => {
    for (const subject of [bound, unbound, clusterOnly])
      expectState(facet, facet.build(labelRows(subject)), 'honest_gap');
  });
});

function expectState(facet: Facet<LabelRows>, { state, value }: FacetValue, expected: FacetState): void {
  expect(state).toBe(expected);
  expect([...Value.Errors(closed(facet.schema), value)]).toEqual([]);
  switch (facet.name) {
    case 'identity':
      expect(value === null).toBe(state !== 'present');
      break;
    case 'binds':
    case 'presence':
      // Plain members: their state is told by the provenance alone.
      expect(value).not.toHaveProperty('state');
      break;
    case 'travels':
      expect(value).toEqual({ state, related: state === 'present' ? [expect.any(Object)] : [] });
      break;
    default:
      expect(value).toEqual({ state, signals: state === 'present' ? expect.any(Object) : null });
  }
}
