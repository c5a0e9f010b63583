import { describe, expect, it } from 'vitest';
import { type Arrival, convergenceOn } from './convergence.ts';

const arrival = (dimension: string, first: string, latest: string): Arrival => ({
  dimension,
  first_arrived_at: first,
  latest_at: latest,
});
const booking = arrival('booking', '2012-01-01', '2019-06-01');

describe('a dimension', () => {
  it.each([
    ['on the first day of the window', '2019-06-30', '2017-12-30', true],
    ['a day before it', '2019-06-30', '2017-12-29', false],
    ['on the day itself', '2019-06-30', '2019-06-30', true],
    ['a day after it', '2019-06-30', '2019-07-01', false],
    ['on the last of February, where the window would begin on its 31st', '2019-08-31', '2018-02-28', true],
    ['before that', '2019-08-31', '2018-02-27', false],
    ['on a leap day', '2021-08-31', '2020-02-29', true],
    ['before the leap day', '2021-08-31', '2020-02-28', false],
  ])('that was seen %s', (_name, day, latest, isLit) => {
    const also = arrival('booking', '2012-01-01', day);
    const found = convergenceOn(day, [also, arrival('radio', '2015-01-01', latest)]);
    expect(found?.dimensions ?? null).toEqual(isLit ? ['booking', 'radio'] : null);
  });
});

describe('a convergence', () => {
  const radio = arrival('radio', '2010-05-05', '2019-01-01');
  const press = arrival('press', '2018-02-03', '2018-02-03');
  const old = arrival('djset', '2001-01-01', '2011-01-01');

  it('has only the lit dimensions, in the order of arrival', () => {
    expect(convergenceOn('2019-06-30', [booking, old, press, radio])).toEqual({
      dimensions: ['radio', 'booking', 'press'],
      firstSignalAt: '2010-05-05',
      latestAppearanceAt: '2018-02-03',
    });
  });

  it('orders dimensions of one day by name', () => {
    const same = ['sync', 'press', 'radio'].map((name) => arrival(name, '2019-01-01', '2019-02-02'));
    expect(convergenceOn('2019-06-30', same)?.dimensions).toEqual(['press', 'radio', 'sync']);
  });

  it('needs two lit dimensions', () => {
    expect(convergenceOn('2019-06-30', [])).toBeNull();
    expect(convergenceOn('2019-06-30', [booking])).toBeNull();
    expect(convergenceOn('2019-06-30', [booking, old])).toBeNull();
    expect(convergenceOn('2019-06-30', [booking, radio])?.dimensions).toHaveLength(2);
  });
});
