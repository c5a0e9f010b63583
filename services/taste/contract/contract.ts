import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { SettingsError } from '../../../infra/runtime/config.ts';
import { consumerFaults } from './consumer-faults.ts';

const closed = { additionalProperties: false };
/** Of the catalogue, as in `R1`. */
const CatalogueNumber = Type.String({ pattern: '^[A-Z]\\d+(\\.\\d+)?$' });
const Text = Type.String({ minLength: 1 });
const ConsentService = Type.Union([Type.Literal('scrobbler'), Type.Literal('catalog')]);

const ConsumerSchema = Type.Object(
  {
    no: CatalogueNumber,
    id: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 }),
    name: Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]+$', maxLength: 80 }),
    origin: Text,
    return_prefixes: Type.Array(Text, { minItems: 1, uniqueItems: true }),
    services: Type.Array(ConsentService, { minItems: 1, uniqueItems: true }),
  },
  closed,
);

const ResponseSchema = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 599 }),
    /** The version of a resource, or another format. */
    body: Text,
    when: Text,
  },
  closed,
);

const RouteSchema = Type.Object(
  {
    no: CatalogueNumber,
    method: Type.Union([Type.Literal('GET'), Type.Literal('POST'), Type.Literal('DELETE')]),
    path: Type.String({ pattern: '^/' }),
    summary: Text,
    /** Whether pages of consumers may send it. */
    cors: Type.Boolean(),
    /** Whether HEAD works too, with the same headers and effects. */
    head: Type.Boolean(),
    /** The caller's credential. */
    auth: Type.Union([
      Type.Literal('none'),
      Type.Literal('code'),
      Type.Literal('bearer'),
      Type.Literal('cookie'),
    ]),
    query: Type.Array(Text),
    /** The number of the resource that is sent; null for none. */
    request: Type.Union([CatalogueNumber, Type.Null()]),
    answers: Type.Array(ResponseSchema, { minItems: 1 }),
    /** Error codes in addition to those of every route. */
    codes: Type.Array(Text, { uniqueItems: true }),
  },
  closed,
);

const FieldSchema = Type.Object(
  { no: CatalogueNumber, name: Text, type: Text, required: Type.Boolean(), description: Text },
  closed,
);

const ResourceSchema = Type.Object(
  { no: CatalogueNumber, name: Text, media: Text, fields: Type.Array(FieldSchema, { minItems: 1 }) },
  closed,
);

const CodeSchema = Type.Object(
  { no: CatalogueNumber, code: Text, status: Type.Integer(), general: Type.Boolean(), when: Text },
  closed,
);

const LimitSchema = Type.Object(
  {
    no: CatalogueNumber,
    name: Text,
    value: Type.Union([Type.Integer(), Type.String()]),
    unit: Text,
    description: Text,
  },
  closed,
);

const RuleSchema = Type.Object({ no: CatalogueNumber, text: Text }, closed);

const ContractSchema = Type.Object(
  {
    contract: Type.Literal('contracts/v1'),
    revision: Type.Integer({ minimum: 1 }),
    title: Text,
    description: Text,
    consumers: Type.Array(ConsumerSchema),
    routes: Type.Array(RouteSchema),
    resources: Type.Array(ResourceSchema),
    codes: Type.Array(CodeSchema),
    limits: Type.Array(LimitSchema),
    rules: Type.Array(RuleSchema),
  },
  closed,
);

export type Contract = Static<typeof ContractSchema>;
export type Consumer = Static<typeof ConsumerSchema>;
export type ConsentService = Static<typeof ConsentService>;

/** The published contract, which configures the service. */
const CONTRACT_FILE = fileURLToPath(new URL('./contracts-v1.json', import.meta.url));

/**
 * Reads a contract from its file.
 *
 * @throws SettingsError that names every fault
 */
export function readContract(file = CONTRACT_FILE): Contract {
  const contract: unknown = parseFile(file);
  if (!Value.Check(ContractSchema, contract)) {
    const faults = [...Value.Errors(ContractSchema, contract)].map(
      ({ path, message }) => `${path}: ${message}`,
    );
    throw new SettingsError(`${file} is no contract: ${[...new Set(faults)].join('; ')}`);
  }
  const faults = [...repeatedNumbers(contract), ...consumerFaults(contract.consumers)];
  if (faults.length > 0) throw new SettingsError(`${file} is no sound contract: ${faults.join('; ')}`);
  return contract;
}

/**
 * Reads the revisions before a contract, from `<name>.revision-<number>.json` beside its file: consents name them.
 *
 * @throws Error if one is missing or faulty
 */
export function readEarlierRevisions({ revision }: Contract, file = CONTRACT_FILE): readonly Contract[] {
  return Array.from({ length: revision - 1 }, (_, index) => {
    const earlier = file.replace(/(?:\.json)?$/, `.revision-${index + 1}.json`);
    const contract = readContract(earlier);
    if (contract.revision !== index + 1) throw new Error(`${earlier} holds revision ${contract.revision}`);
    return contract;
  });
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new SettingsError(`the contract cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Every entry of the catalogue has a number that nothing else has. */
function repeatedNumbers({ consumers, routes, resources, codes, limits, rules }: Contract): string[] {
  const entries = [
    ...[consumers, routes, resources, codes, limits, rules].flat(),
    ...resources.flatMap(({ fields }) => fields),
  ];
  const seen = new Set<string>();
  return entries.flatMap(({ no }) => {
    const isRepeated = seen.has(no);
    seen.add(no);
    return isRepeated ? [`the number ${no} is used twice`] : [];
  });
}
