import type { TSchema } from '@sinclair/typebox';
import { FORM_MINUTES } from '../connect/form-token.ts';
import { CODE_SECONDS } from '../connect/record-consent.ts';
import { MAX_RETURN_URL } from '../connect/return-url.ts';
import { MAX_USERNAME } from '../connect/username.ts';
import { TasteErrorBody, tasteErrorCatalogue } from '../http/errors.ts';
import { FORM_LIMIT_BYTES } from '../http/form.ts';
import type { DeclaredRoute, RouteDeclaration } from '../http/route-declaration.ts';
import { SCOPES, TOKEN_DAYS } from '../profile/exchange-code.ts';
import { BODY_LIMIT_BYTES } from '../routes/me.ts';
import type { Contract } from './contract.ts';

type ContractRoute = Contract['routes'][number];

/** The limits of the code, by their names in the contract. */
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

/** Limits that a service configures, at least as high as the contract promises. */
export type ConfiguredLimits = Readonly<Record<'requests_per_minute' | 'consents_per_minute', number>>;

/** The resource of every error body. */
const ERROR_RESOURCE = 'error';

/**
 * Compares the contract with the service: routes, fields, codes and limits, in both directions.
 * Returns a sentence for each difference.
 */
export function contractDrift(
  contract: Contract,
  served: readonly DeclaredRoute[],
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
      entriesOf(Object.entries(tasteErrorCatalogue), ([code, { status, isGeneral }]) => [
        code,
        `${status}${isGeneral ? ' on any route' : ''}`,
      ]),
    ),
    ...differences(
      'limit',
      entriesOf(contract.limits, ({ name, value }) => [name, String(value)]),
      entriesOf(
        Object.entries({ ...LIMITS, ...loweredToContract(contract, configured) }),
        ([name, value]) => [name, String(value)],
      ),
    ),
    ...differences('error', fieldsIn(contract, ERROR_RESOURCE), fieldsOf(TasteErrorBody)),
  ];
}

/** The configured limits, lowered to those of the contract. */
const loweredToContract = (
  { limits }: Contract,
  configured: ConfiguredLimits,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(configured).map(([name, value]) => {
      const promised = limits.find((limit) => limit.name === name)?.value;
      return [name, typeof promised === 'number' ? Math.min(promised, value) : value];
    }),
  );

function routeDrift(contract: Contract, served: readonly DeclaredRoute[]): string[] {
  const promised = new Map(contract.routes.map((route) => [`${route.method} ${route.path}`, route]));
  const names = new Set(served.map(({ method, path }) => `${method} ${path}`));
  const real = new Map(
    served
      .filter(({ method, path }) => method !== 'HEAD' || !names.has(`GET ${path}`))
      .map((route) => [`${route.method} ${route.path}`, route.declaration]),
  );
  const missing = [...promised.keys()].filter((name) => !real.has(name));
  const unlisted = [...real.keys()].filter((name) => !promised.has(name));
  return [
    ...missing.map((name) => `${name} is in the contract and not served`),
    ...unlisted.map((name) => `${name} is served and not in the contract`),
    ...[...promised].flatMap(([name, route]) => {
      const declaration = real.get(name);
      if (declaration === undefined) return [];
      return declaration === null
        ? [`${name} has no declaration`]
        : [...headDrift(name, route, names), ...declarationDrift(contract, name, { route, declaration })];
    }),
  ];
}

function headDrift(
  name: string,
  { method, path, head }: ContractRoute,
  names: ReadonlySet<string>,
): string[] {
  const servesHead = method === 'GET' && names.has(`HEAD ${path}`);
  return head === servesHead ? [] : [`${name}: HEAD is ${servesHead}, the contract says ${head}`];
}

function declarationDrift(
  contract: Contract,
  name: string,
  { route, declaration }: { readonly route: ContractRoute; readonly declaration: RouteDeclaration },
): string[] {
  const words = (values: readonly string[]) => [...values].sort().join(', ');
  const facts = new Map([
    ['cross-origin use', String(route.cors)],
    ['authentication', route.auth],
    ['query', words(route.query)],
    ['codes', words(route.codes)],
    ['statuses', words(route.answers.map(({ status }) => String(status)))],
  ]);
  const realFacts = new Map([
    ['cross-origin use', String(declaration.cors)],
    ['authentication', declaration.auth],
    ['query', words(declaration.query)],
    ['codes', words(declaration.codes)],
    ['statuses', words(Object.keys(declaration.responses))],
  ]);
  const bodies = route.answers.flatMap(({ status, body }) => {
    const real = declaration.responses[status];
    if (real === undefined) return [];
    if (typeof real === 'string')
      return real === body ? [] : [`${name} responds ${status} with ${real}, the contract says ${body}`];
    return differences(`${name} ${status}`, fieldsIn(contract, body), fieldsOf(real));
  });
  return [
    ...differences(name, facts, realFacts),
    ...differences(
      `${name} request`,
      route.request === null ? new Map() : fieldsIn(contract, route.request),
      declaration.request === null ? new Map() : fieldsOf(declaration.request),
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

/** The fields of a schema; a nested field has the names of both. */
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
    const [expected, actual] = [promised.get(key), real.get(key)];
    if (expected === actual) return [];
    if (expected === undefined) return [`${what}: ${key} is not in the contract`];
    return [`${what}: ${key} is ${actual ?? 'missing'}, the contract says ${expected}`];
  });
}

const entriesOf = <T>(values: readonly T[], entry: (value: T) => [string, string]): Map<string, string> =>
  new Map(values.map(entry));
