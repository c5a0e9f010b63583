import { type Static, Type } from '@sinclair/typebox';
import { envSchema } from 'env-schema';
import type { CatalogSettings } from './catalog.ts';
import type { ChartsSettings } from './charts.ts';
import type { StatisticsSettings } from './statistics.ts';

const PerMinute = Type.Optional(Type.Integer({ minimum: 1, maximum: 60_000 }));
const Days = (fallback: number) => Type.Integer({ default: fallback, minimum: 1, maximum: 36_500 });

const TasteConfig = Type.Object({
  /** How services that are asked can reach whoever asks: a web or e-mail address. */
  TASTE_CONTACT: Type.Optional(Type.String()),
  /** Where the listening service answers; without it, nothing is imported from one. */
  TASTE_SCROBBLER_URL: Type.Optional(Type.String()),
  /** Which of the two public interfaces it has: lists by method, or worked-out statistics. */
  TASTE_SCROBBLER_KIND: Type.Optional(Type.Union([Type.Literal('charts'), Type.Literal('statistics')])),
  TASTE_SCROBBLER_KEY: Type.Optional(Type.String()),
  TASTE_SCROBBLER_PER_MINUTE: PerMinute,
  /** Where the release catalogue answers; without it, nothing is imported from one. */
  TASTE_CATALOG_URL: Type.Optional(Type.String()),
  TASTE_CATALOG_TOKEN: Type.Optional(Type.String()),
  TASTE_CATALOG_PER_MINUTE: PerMinute,
  /** Pages of one import; what is beyond is left out. */
  TASTE_MAX_PAGES: Type.Integer({ default: 500, minimum: 1, maximum: 10_000 }),
  /** For how long a token that is revoked or expired is still told from one that never was. */
  TASTE_TOKEN_DAYS: Days(30),
  /** For how long imports before an account's newest are kept. */
  TASTE_IMPORT_DAYS: Days(90),
  /** After which a person without consent and token is forgotten. */
  TASTE_PERSON_DAYS: Days(30),
  /** After which a person who has no token that holds, and was not seen, is forgotten: their cookie is gone by then. */
  TASTE_UNSEEN_DAYS: Days(400),
});

type Env = Static<typeof TasteConfig>;

/** Requests a minute. A little less than what the catalogue allows, with and without a token, for it counts by arrival. */
const PER_MINUTE = { charts: 120, statistics: 60, catalogWithToken: 57, catalog: 24 };

type ScrobblerSettings =
  | ({ readonly kind: 'charts' } & ChartsSettings)
  | ({ readonly kind: 'statistics' } & StatisticsSettings);

export interface TasteSettings {
  /** Null where imports from one are not set up. */
  readonly scrobbler: ScrobblerSettings | null;
  readonly catalog: CatalogSettings | null;
  readonly mostPages: number;
  readonly tokenDays: number;
  readonly importDays: number;
  readonly personDays: number;
  readonly unseenDays: number;
}

/**
 * Reads the settings of imports and retention. A blank variable counts as one that is not set.
 *
 * @throws with every setting that is missing or malformed
 */
export function readTasteSettings(): TasteSettings {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  const env = envSchema<Env>({ schema: TasteConfig, data: given, env: false });
  const faults: string[] = [];
  const settings: TasteSettings = {
    scrobbler: scrobblerOf(env, faults),
    catalog: catalogOf(env, faults),
    mostPages: env.TASTE_MAX_PAGES,
    tokenDays: env.TASTE_TOKEN_DAYS,
    importDays: env.TASTE_IMPORT_DAYS,
    personDays: env.TASTE_PERSON_DAYS,
    unseenDays: env.TASTE_UNSEEN_DAYS,
  };
  if (faults.length > 0) throw new Error([...new Set(faults)].join('; '));
  return settings;
}

function scrobblerOf(env: Env, faults: string[]): ScrobblerSettings | null {
  const { TASTE_SCROBBLER_URL: address, TASTE_SCROBBLER_KIND: kind, TASTE_SCROBBLER_KEY: key } = env;
  if (!address) return null;
  const url = urlOf('TASTE_SCROBBLER_URL', address, faults);
  const userAgent = userAgentOf(env, faults);
  if (kind === undefined)
    faults.push('TASTE_SCROBBLER_KIND is missing: charts or statistics, whichever the service has');
  if (kind === 'charts' && !key)
    faults.push('TASTE_SCROBBLER_KEY is missing: a service of the kind charts answers nobody without one');
  const intervalMs = 60_000 / (env.TASTE_SCROBBLER_PER_MINUTE ?? PER_MINUTE[kind ?? 'statistics']);
  return kind === 'charts'
    ? { kind, url, key: key ?? '', userAgent, intervalMs }
    : { kind: 'statistics', url, key: key || null, userAgent, intervalMs };
}

function catalogOf(env: Env, faults: string[]): CatalogSettings | null {
  const { TASTE_CATALOG_URL: address, TASTE_CATALOG_TOKEN: token } = env;
  if (!address) return null;
  return {
    url: urlOf('TASTE_CATALOG_URL', address, faults),
    token: token || null,
    userAgent: userAgentOf(env, faults),
    intervalMs:
      60_000 / (env.TASTE_CATALOG_PER_MINUTE ?? (token ? PER_MINUTE.catalogWithToken : PER_MINUTE.catalog)),
  };
}

const NOWHERE = new URL('http://127.0.0.1:1');

function urlOf(name: string, address: string, faults: string[]): URL {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  // Not told as it is, for it may hold a password.
  faults.push(`${name} is not an http or https address without a username and password`);
  return NOWHERE;
}

function userAgentOf({ TASTE_CONTACT: contact }: Env, faults: string[]): string {
  if (!contact || !/^[\x21-\x7e]{3,200}$/.test(contact))
    faults.push(
      'TASTE_CONTACT is missing or malformed: a web or e-mail address under which services reach you',
    );
  return `Linernotes/1.0 +${contact}`;
}
