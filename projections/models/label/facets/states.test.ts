import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { describe, expect, it } from 'vitest';
import { closed } from '../../../../test/support/http/closed-schema.ts';
import {
  aboutLabel,
  boundLabel,
  clusterOnlyLabel,
  type LabelSubject,
  labelFacetRows,
  unboundLabel,
} from '../../../../test/support/rows/label.ts';
import type { SourceRows } from '../../../../test/support/rows/source-rows.ts';
import { catalogLabel } from '../../../contracts/catalog/label.ts';
import { catalogLabelBehavior } from '../../../contracts/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../../contracts/catalog/label-co-ownership.ts';
import { sources } from '../../../contracts/index.ts';
import { labelDjsetMomentum } from '../../../contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../../contracts/seen/label-identity-bridge.ts';
import type { Facet, FacetValue } from '../../../engine/facet.ts';
import type { FacetState } from '../../../engine/provenance.ts';
import type { LabelRows } from '../lanes.ts';
import { facets } from './index.ts';

FormatRegistry.Set('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text));

/** Rows that make a facet present, the subject that has it then, and a subject without a key for it. */
interface Speaking {
  readonly rows: SourceRows;
  readonly present: readonly LabelSubject[];
  readonly gap: readonly LabelSubject[];
  /** State of a source that delivers but has no row; default `empty`. */
  readonly withoutRow?: FacetState;
}

const cases: Readonly<Record<string, readonly Speaking[]>> = {
  identity: [
    { rows: aboutLabel(catalogLabel, {}), present: [boundLabel, unboundLabel], gap: [clusterOnlyLabel] },
    {
      rows: aboutLabel(labelIdentityBridge, {}),
      present: [clusterOnlyLabel],
      gap: [boundLabel, unboundLabel],
    },
  ],
  binds: [
    {
      rows: aboutLabel(labelIdentityBridge, {}),
      present: [boundLabel, clusterOnlyLabel],
      gap: [unboundLabel],
    },
  ],
  presence: [
    {
      rows: aboutLabel(labelIdentityBridge, {}),
      present: [boundLabel, clusterOnlyLabel],
      gap: [unboundLabel],
    },
  ],
  behavioral: [
    {
      rows: aboutLabel(catalogLabelBehavior, {}),
      present: [boundLabel, unboundLabel],
      gap: [clusterOnlyLabel],
    },
  ],
  travels: [
    {
      rows: aboutLabel(catalogLabelCoOwnership, { support: 5 }),
      present: [boundLabel, clusterOnlyLabel],
      gap: [unboundLabel],
    },
  ],
  dj_momentum: [
    {
      rows: aboutLabel(labelDjsetMomentum, { play_count: 1 }),
      present: [boundLabel, clusterOnlyLabel],
      gap: [unboundLabel],
      withoutRow: 'honest_gap',
    },
  ],
};

it('knows every facet, in the order of the dossier', () => {
  expect(facets.map((facet) => facet.name)).toEqual(Object.keys(cases));
});

it('builds every facet from accepted sources', () => {
  for (const facet of facets) expect(sources).toEqual(expect.arrayContaining([...facet.sources]));
});

describe.each(facets)('$name', (facet) => {
  const speakings = cases[facet.name] ?? [];

  it('is present in each lane that has the key', () => {
    for (const { rows, present } of speakings) {
      for (const subject of present)
        expectState(facet, facet.build(labelFacetRows(subject, rows)), 'present');
    }
  });

  it('is a gap if the lane has no key', () => {
    for (const { rows, gap } of speakings) {
      for (const subject of gap) expectState(facet, facet.build(labelFacetRows(subject, rows)), 'honest_gap');
    }
  });

  it('is empty if a source delivers, but nothing about this label', () => {
    for (const { rows, present, withoutRow = 'empty' } of speakings) {
      const delivered = aboutLabel(rows.source);
      for (const subject of present)
        expectState(facet, facet.build(labelFacetRows(subject, delivered)), withoutRow);
    }
  });

  it('is a gap if no source has ever delivered', () => {
    for (const subject of [boundLabel, unboundLabel, clusterOnlyLabel])
      expectState(facet, facet.build(labelFacetRows(subject)), 'honest_gap');
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
      // Plain members: only the provenance has their state.
      expect(value).not.toHaveProperty('state');
      break;
    case 'travels':
      expect(value).toEqual({ state, related: state === 'present' ? [expect.any(Object)] : [] });
      break;
    default:
      expect(value).toEqual({ state, signals: state === 'present' ? expect.any(Object) : null });
  }
}
