import type { TSchema } from '@sinclair/typebox';
import { FORM_MINUTES } from '../connect/form-token.ts';
import { CODE_SECONDS } from '../connect/record-consent.ts';
import { MAX_RETURN_URL } from '../connect/return-url.ts';
import { MAX_USERNAME } from '../connect/username.ts';
import { errorCatalogue } from '../http/errors.ts';
import { FORM_LIMIT_BYTES } from '../http/form.ts';
import type { PromisedRoute, RoutePromise } from '../http/promise.ts';
import { TOKEN_DAYS } from '../profile/exchange-code.ts';
import { SCOPES } from '../profile/scopes.ts';
import { BODY_LIMIT_BYTES } from '../routes/me.ts';
import { ErrorBody } from '../schemas.ts';
import type { Contract } from './contract.ts';

type ContractRoute = Contract['routes'][number];

/** The limits that the code keeps to, by the names the contract has for them. */
const LIMITS: Readonly<Record<string, number | string>> = {
  connect_code_lifetime: CODE_SECONDS,
  token_lifetime: TOKEN_DAYS,
  token_scope: SCOPES.join(' '),
  form_lifetime: FORM_MINUTES,
  return_url_length: MAX_RETURN_URL,
  username_length: MAX_USERNAME,
  form_size: FORM_LIMIT_BYTES,
  body_size: BODY_LIMIT_BYTES,
};

/** Limits that each service sets for itself, but never below what the contract promises. */
export type ConfiguredLimits = Readonly<Record<'requests_per_minute' | 'consents_per_minute', number>>;

/** The resource that every error has for a body. */
const ERROR_RESOURCE = 'error';

/**
 * Compares what a contract promises with what the service does: routes, fields, codes and limits, in both directions.
 * Answers a sentence for each difference.
 */
export function contractDrift(
  contract: Contract,
  served: readonly PromisedRoute[],
  configured: ConfiguredLimits,
): string[] {
  return [
    ...routeDrift(contract, served),
    ...unusedResources(contract),
    ...differences(
      'error code',
      entriesOf(contract.codes, ({ code, status, general }) => [
        code,
        `${status}${general ? ' on any route' : ''}`,
      ]),
      entriesOf(Object.entries(errorCatalogue), ([code, { status, isGeneral }]) => [
        code,
        `${status}${isGeneral ? ' on any route' : ''}`,
      ]),
    ),
    ...differences(
      'limit',
      entriesOf(contract.limits, ({ name, value }) => [name, String(value)]),
      entriesOf(Object.entries({ ...LIMITS, ...keptOf(contract, configured) }), ([name, value]) => [
        name,
        String(value),
      ]),
    ),
    ...differences('error', fieldsIn(contract, ERROR_RESOURCE), fieldsOf(ErrorBody)),
  ];
}

/** What is configured, as promised where it is no less. */
const keptOf = ({ limits }: Contract, configured: ConfiguredLimits): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(configured).map(([name, value]) => {
      const promised = limits.find((limit) => limit.name === name)?.value;
      return [name, typeof promised === 'number' ? Math.min(promised, value) : value];
    }),
  );

function routeDrift(contract: Contract, served: readonly PromisedRoute[]): string[] {
  const promised = new Map(contract.routes.map((route) => [`${route.method} ${route.path}`, route]));
  const names = new Set(served.map(({ method, path }) => `${method} ${path}`));
  const real = new Map(
    served
      .filter(({ method, path }) => method !== 'HEAD' || !names.has(`GET ${path}`))
      .map((route) => [`${route.method} ${route.path}`, route.promise]),
  );
  const missing = [...promised.keys()].filter((name) => !real.has(name));
  const unlisted = [...real.keys()].filter((name) => !promised.has(name));
  return [
    ...missing.map((name) => `${name} is in the contract and not served`),
    ...unlisted.map((name) => `${name} is served and not in the contract`),
    ...[...promised].flatMap(([name, route]) => {
      const promise = real.get(name);
      if (promise === undefined) return [];
      return promise === null
        ? [`${name} does not say what it does`]
        : [...headDrift(name, route, names), ...oneRoute(contract, name, route, promise)];
    }),
  ];
}

function headDrift(
  name: string,
  { method, path, head }: ContractRoute,
  names: ReadonlySet<string>,
): string[] {
  const answersHead = method === 'GET' && names.has(`HEAD ${path}`);
  return head === answersHead ? [] : [`${name}: HEAD is ${answersHead}, the contract says ${head}`];
}

function oneRoute(contract: Contract, name: string, route: ContractRoute, promise: RoutePromise): string[] {
  const words = (values: readonly string[]) => [...values].sort().join(', ');
  const facts = new Map([
    ['cross-origin use', String(route.cors)],
    ['authentication', route.auth],
    ['query', words(route.query)],
    ['codes', words(route.codes)],
    ['statuses', words(route.answers.map(({ status }) => String(status)))],
  ]);
  const realFacts = new Map([
    ['cross-origin use', String(promise.cors)],
    ['authentication', promise.auth],
    ['query', words(promise.query)],
    ['codes', words(promise.codes)],
    ['statuses', words(Object.keys(promise.answers))],
  ]);
  const bodies = route.answers.flatMap(({ status, body }) => {
    const real = promise.answers[status];
    if (real === undefined) return [];
    if (typeof real === 'string')
      return real === body ? [] : [`${name} answers ${status} with ${real}, the contract says ${body}`];
    return differences(`${name} ${status}`, fieldsIn(contract, body), fieldsOf(real));
  });
  return [
    ...differences(name, facts, realFacts),
    ...differences(
      `${name} request`,
      route.request === null ? new Map() : fieldsIn(contract, route.request),
      promise.request === null ? new Map() : fieldsOf(promise.request),
    ),
    ...bodies,
  ];
}

/** The fields of a resource of the contract, by its number or name. */
function fieldsIn({ resources }: Contract, resource: string): Map<string, string> {
  const found = resources.find(({ no, name }) => no === resource || name === resource);
  return entriesOf(found?.fields ?? [], ({ name, type, required }) => [
    name,
    required ? type : `${type}, optional`,
  ]);
}

/** The same of a schema; a field within another has the name of both. */
function fieldsOf(schema: TSchema, within = ''): Map<string, string> {
  const required: readonly string[] = schema.required ?? [];
  return new Map(
    Object.entries<TSchema>(schema.properties ?? {}).flatMap(([key, value]) => {
      const type = value.type === 'array' ? `${value.items.type}[]` : String(value.type);
      const own: [string, string] = [`${within}${key}`, required.includes(key) ? type : `${type}, optional`];
      return [own, ...fieldsOf(value, `${within}${key}.`)];
    }),
  );
}

function unusedResources({ resources, routes }: Contract): string[] {
  const used = new Set(
    routes.flatMap(({ request, answers }) => [request, ...answers.map(({ body }) => body)]),
  );
  return resources
    .filter(({ no, name }) => !used.has(no) && name !== ERROR_RESOURCE)
    .map(({ no, name }) => `${no} ${name} belongs to no route`);
}

function differences(
  what: string,
  promised: ReadonlyMap<string, string>,
  real: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...promised.keys(), ...real.keys()])].flatMap((key) => {
    const [said, is] = [promised.get(key), real.get(key)];
    if (said === is) return [];
    if (said === undefined) return [`${what}: ${key} is not in the contract`];
    return [`${what}: ${key} is ${is ?? 'missing'}, the contract says ${said}`];
  });
}

const entriesOf = <T>(values: readonly T[], entry: (value: T) => [string, string]): Map<string, string> =>
  new Map(values.map(entry));
