const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The day that dated read models are computed for: `AS_OF` (YYYY-MM-DD) where it is set, as for demonstrations and
 * replays of history, else today in UTC. Staleness never asks it.
 *
 * @throws when AS_OF is not a day of the calendar
 */
export function currentDay(now: Date = new Date(), asOf: string | undefined = process.env.AS_OF): string {
  if (asOf === undefined || asOf === '') return now.toISOString().slice(0, 10);
  const isDay = DAY.test(asOf) && new Date(`${asOf}T00:00:00Z`).toJSON()?.slice(0, 10) === asOf;
  if (!isDay) throw new Error(`AS_OF is "${asOf}", not a day written YYYY-MM-DD`);
  return asOf;
}
