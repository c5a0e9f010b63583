import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import type { RowOf } from '../../contracts/columns.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { economicsOf } from './economics.ts';

type ItemRow = RowOf<typeof storefrontItem.columns>;

const economics = (columns: Partial<ItemRow>) =>
  economicsOf(rowsOf(storefrontItem, columns).rows[0] as ItemRow);
const scarcity = (columns: Partial<ItemRow>) => economics(columns).scarcity;

it('keeps the code and the formats unchanged', () => {
  const formats = [{ name: 'Cassette', edition: 50, notes: null }];
  expect(economics({ upc: '0012345678905', formats })).toEqual({
    upc: '0012345678905',
    formats,
    scarcity: null,
  });
  expect(economics({})).toEqual({ upc: null, formats: null, scarcity: null });
});

describe('scarcity', () => {
  it('contains every field', () => {
    expect(
      scarcity({
        limited_edition: true,
        smallest_edition_size: 200,
        units_remaining: 15,
        low_stock: false,
        scarcity_score: 0.75,
        distinct_wishers: 12,
        wishlist_demand: 40,
      }),
    ).toEqual({
      limited_edition: true,
      smallest_edition_size: 200,
      units_remaining: 15,
      sell_through: 0.925,
      low_stock: false,
      scarcity_score: 0.75,
      distinct_wishers: 12,
      pressure_index: 0.75 * Math.log(41),
    });
  });

  it('is null without data about the supply', () => {
    expect(scarcity({ distinct_wishers: 90, wishlist_demand: 120 })).toBeNull();
    expect(scarcity({ distinct_wishers: 90, scarcity_score: 1.01 })).toBeNull();
  });

  it.each([
    { limited_edition: false },
    { smallest_edition_size: 0 },
    { units_remaining: 0 },
    { low_stock: false },
    { scarcity_score: 0 },
  ])('is present with %o alone', (columns) => {
    expect(scarcity(columns)).toEqual({
      limited_edition: null,
      smallest_edition_size: null,
      units_remaining: null,
      sell_through: null,
      low_stock: null,
      scarcity_score: null,
      distinct_wishers: null,
      pressure_index: null,
      ...columns,
    });
  });

  it.each([
    [100, 25, 0.75],
    [100, 100, 0],
    [100, 0, 1],
    [3, 1, 2 / 3],
    // Counted at another time than the edition: no share below 0 or above 1.
    [100, 130, 0],
    [100, -5, 1],
    [0, 0, null],
    [-10, 0, null],
    [100, null, null],
    [null, 5, null],
  ])('of %s copies with %s left has sold through %s', (smallest_edition_size, units_remaining, share) => {
    expect(scarcity({ low_stock: true, smallest_edition_size, units_remaining })?.sell_through).toBe(share);
  });

  it.each([
    [0, 0],
    [1, 1],
    [0.5, 0.5],
    [-0.01, null],
    [1.01, null],
    [60, null],
  ])('takes a score of %s for %s', (scarcity_score, score) => {
    expect(scarcity({ low_stock: true, scarcity_score })?.scarcity_score).toBe(score);
  });

  it.each([
    [null, null],
    [0, 0],
    [4, 0],
    [5, 5],
    [600, 600],
  ])('reports %s wishers as %s', (distinct_wishers, expected) => {
    expect(scarcity({ low_stock: true, distinct_wishers })?.distinct_wishers).toBe(expected);
  });

  it.each([
    [0.9, 0, 0],
    [0.9, 1, 0],
    [0.9, 4, 0],
    [0.9, 5, 1.6125835223052496],
    [1, 99, 4.605170185988092],
    [0.5, 600, 3.199297467267604],
    [0, 600, 0],
    [0.9, null, null],
    [null, 600, null],
    [1.5, 600, null],
  ])('of a score of %s and %s wishes has a pressure of %s', (scarcity_score, wishlist_demand, index) => {
    const published = scarcity({ low_stock: true, scarcity_score, wishlist_demand })?.pressure_index;
    if (index === null) expect(published).toBeNull();
    else expect(published).toBeCloseTo(index, 12);
  });

  it('reveals nothing about four wishes', () => {
    const published = [0, 1, 2, 3, 4].map((few) =>
      scarcity({ scarcity_score: 0.9, wishlist_demand: few, distinct_wishers: few }),
    );
    for (const one of published) expect(one).toEqual(published[0]);
  });
});
