import { type Static, Type } from '@sinclair/typebox';
import { readConfig, SettingsError } from '../../infra/runtime/config.ts';
import { type CatalogSettings, catalog } from './catalog.ts';
import { type ChartsSettings, charts } from './charts.ts';
import { type StatisticsSettings, statistics } from './statistics.ts';
import type { Upstream } from './upstream.ts';

const perMinute = (service: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      description: `Requests to the ${service}. Default: what it allows.`,
    }),
  );
const days = (fallback: number, description: string) =>
  Type.Integer({ default: fallback, minimum: 1, maximum: 36_500, description });

export const TasteImportConfig = Type.Object({
  TASTE_CONTACT: Type.Optional(
    Type.String({
      description: 'Web or e-mail address that requests to other services name as their contact.',
    }),
  ),
  TASTE_SCROBBLER_URL: Type.Optional(
    Type.String({ description: 'URL of the listening service. Without it nothing is imported from one.' }),
  ),
  TASTE_SCROBBLER_KIND: Type.Optional(
    Type.Union([Type.Literal('charts'), Type.Literal('statistics')], {
      description: 'Public interface of the listening service: lists by method, or computed statistics.',
    }),
  ),
  TASTE_SCROBBLER_KEY: Type.Optional(Type.String({ description: 'API key of the listening service.' })),
  TASTE_SCROBBLER_PER_MINUTE: perMinute('listening service'),
  TASTE_CATALOG_URL: Type.Optional(
    Type.String({ description: 'URL of the release catalogue. Without it nothing is imported from one.' }),
  ),
  TASTE_CATALOG_TOKEN: Type.Optional(Type.String({ description: 'API token of the release catalogue.' })),
  TASTE_CATALOG_PER_MINUTE: perMinute('release catalogue'),
  TASTE_MAX_PAGES: Type.Integer({
    default: 500,
    minimum: 1,
    maximum: 10_000,
    description: 'Pages that one import reads at most.',
  }),
  TASTE_TOKEN_DAYS: days(30, 'How long a revoked or expired token is distinguished from an unknown one.'),
  TASTE_IMPORT_DAYS: days(90, "How long the imports before an account's newest are kept."),
  TASTE_PERSON_DAYS: days(30, 'Erases a person this long after their last consent and token ended.'),
  TASTE_UNSEEN_DAYS: days(400, 'Erases a person without a valid token this long after their last visit.'),
});

type Env = Static<typeof TasteImportConfig>;

/** Requests per minute. The catalogue's stay below its limits because it counts requests on arrival. */
const PER_MINUTE = { charts: 120, statistics: 60, catalogWithToken: 57, catalog: 24 };

type ScrobblerSettings =
  | ({ readonly kind: 'charts' } & ChartsSettings)
  | ({ readonly kind: 'statistics' } & StatisticsSettings);

export interface TasteSettings {
  /** Null without a configured service. */
  readonly scrobbler: ScrobblerSettings | null;
  readonly catalog: CatalogSettings | null;
  readonly maxPages: number;
  readonly tokenDays: number;
  readonly importDays: number;
  readonly personDays: number;
  readonly unseenDays: number;
}

/**
 * Reads the settings of imports and retention.
 *
 * @throws SettingsError that names every setting that is missing or malformed
 */
export function readTasteSettings(): TasteSettings {
  const env = readConfig(TasteImportConfig);
  const faults: string[] = [];
  const settings: TasteSettings = {
    scrobbler: scrobblerOf(env, faults),
    catalog: catalogOf(env, faults),
    maxPages: env.TASTE_MAX_PAGES,
    tokenDays: env.TASTE_TOKEN_DAYS,
    importDays: env.TASTE_IMPORT_DAYS,
    personDays: env.TASTE_PERSON_DAYS,
    unseenDays: env.TASTE_UNSEEN_DAYS,
  };
  if (faults.length > 0)
    throw new SettingsError([...new Set(faults)].map((fault) => `setting ${fault}`).join('\n'));
  return settings;
}

/** The configured services. */
export function configuredUpstreams(settings: Pick<TasteSettings, 'scrobbler' | 'catalog'>): Upstream[] {
  const { scrobbler, catalog: collections } = settings;
  return [
    ...(scrobbler === null ? [] : [scrobbler.kind === 'charts' ? charts(scrobbler) : statistics(scrobbler)]),
    ...(collections === null ? [] : [catalog(collections)]),
  ];
}

function scrobblerOf(env: Env, faults: string[]): ScrobblerSettings | null {
  const { TASTE_SCROBBLER_URL: text, TASTE_SCROBBLER_KIND: kind, TASTE_SCROBBLER_KEY: key } = env;
  if (!text) return null;
  const url = urlOf('TASTE_SCROBBLER_URL', text, faults);
  const userAgent = userAgentOf(env, faults);
  if (kind === undefined)
    faults.push('TASTE_SCROBBLER_KIND is missing: charts or statistics, the interface that the service has');
  if (kind === 'charts' && !key)
    faults.push('TASTE_SCROBBLER_KEY is missing: a service of the kind charts requires one');
  const intervalMs = 60_000 / (env.TASTE_SCROBBLER_PER_MINUTE ?? PER_MINUTE[kind ?? 'statistics']);
  return kind === 'charts'
    ? { kind, url, key: key ?? '', userAgent, intervalMs }
    : { kind: 'statistics', url, key: key || null, userAgent, intervalMs };
}

function catalogOf(env: Env, faults: string[]): CatalogSettings | null {
  const { TASTE_CATALOG_URL: text, TASTE_CATALOG_TOKEN: token } = env;
  if (!text) return null;
  return {
    url: urlOf('TASTE_CATALOG_URL', text, faults),
    token: token || null,
    userAgent: userAgentOf(env, faults),
    intervalMs:
      60_000 / (env.TASTE_CATALOG_PER_MINUTE ?? (token ? PER_MINUTE.catalogWithToken : PER_MINUTE.catalog)),
  };
}

const PLACEHOLDER_URL = new URL('http://127.0.0.1:1');

function urlOf(name: string, text: string, faults: string[]): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  // Omits the value, which may contain a password.
  faults.push(`${name} is not an http or https URL without a username and password`);
  return PLACEHOLDER_URL;
}

function userAgentOf({ TASTE_CONTACT: contact }: Env, faults: string[]): string {
  if (!contact || !/^[\x21-\x7e]{3,200}$/.test(contact))
    faults.push('TASTE_CONTACT is missing or malformed: a web or e-mail address where services reach you');
  return `Linernotes/1.0 +${contact}`;
}
