import { expect, it } from 'vitest';
import { indexByTable } from './contract.ts';
import { sourceByTable, sources } from './index.ts';
import { liveDemand } from './seen/live-demand.ts';

it('finds every source by its table', () => {
  expect([...sourceByTable.values()]).toEqual(sources);
});

it('rejects two contracts of one table, with the table and both owners', () => {
  expect(() => indexByTable([...sources, { ...liveDemand, owner: 'mb' }])).toThrow(
    'the table seen.live_demand has two contracts, of the owners seen and mb; ' +
      `to find their files: grep -rn "table: 'seen.live_demand'" projections/contracts`,
  );
});
