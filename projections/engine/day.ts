import { isDay, SettingsError } from '../../infra/runtime/config.ts';
import { asOfSetting } from './config.ts';

/**
 * The day that dated read models are computed for: `AS_OF` (YYYY-MM-DD), for demonstrations and replays of history, or
 * today in UTC. Staleness does not depend on it.
 *
 * @throws SettingsError if AS_OF is not a calendar day
 */
export function currentDay(now: Date = new Date(), asOf: string | undefined = asOfSetting()): string {
  if (asOf === undefined || asOf === '') return now.toISOString().slice(0, 10);
  if (!isDay(asOf)) throw new SettingsError('setting AS_OF must be a day written YYYY-MM-DD');
  return asOf;
}
