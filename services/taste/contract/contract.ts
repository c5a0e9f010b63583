import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { consumerFaults } from './consumer-faults.ts';

const closed = { additionalProperties: false };
/** Of the catalogue, as in `R1`. */
const CatalogueNumber = Type.String({ pattern: '^[A-Z]\\d+(\\.\\d+)?$' });
const Text = Type.String({ minLength: 1 });
const Service = Type.Union([Type.Literal('scrobbler'), Type.Literal('catalog')]);

const ConsumerSchema = Type.Object(
  {
    no: CatalogueNumber,
    id: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 }),
    name: Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]+$', maxLength: 80 }),
    origin: Text,
    return_prefixes: Type.Array(Text, { minItems: 1, uniqueItems: true }),
    services: Type.Array(Service, { minItems: 1, uniqueItems: true }),
  },
  closed,
);

const AnswerSchema = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 599 }),
    /** The number of a resource, or what else there is to get. */
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
    /** Whether pages of consumers may ask. */
    cors: Type.Boolean(),
    /** Whether HEAD is answered too, with the same headers and effects. */
    head: Type.Boolean(),
    /** What the caller shows. */
    auth: Type.Union([
      Type.Literal('none'),
      Type.Literal('code'),
      Type.Literal('bearer'),
      Type.Literal('cookie'),
    ]),
    query: Type.Array(Text),
    /** The number of the resource that is sent; null for none. */
    request: Type.Union([CatalogueNumber, Type.Null()]),
    answers: Type.Array(AnswerSchema, { minItems: 1 }),
    /** The codes of errors beside those that any route may answer. */
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
export type Service = Static<typeof Service>;

/** The contract that is published, and that everything here is set up by. */
const CONTRACT_FILE = fileURLToPath(new URL('./contracts-v1.json', import.meta.url));

/**
 * Reads a contract from its file.
 *
 * @throws Error naming everything at fault in it
 */
export function readContract(file = CONTRACT_FILE): Contract {
  const contract: unknown = parseFile(file);
  if (!Value.Check(ContractSchema, contract)) {
    const faults = [...Value.Errors(ContractSchema, contract)].map(
      ({ path, message }) => `${path}: ${message}`,
    );
    throw new Error(`${file} is no contract: ${[...new Set(faults)].join('; ')}`);
  }
  const faults = [...repeatedNumbers(contract), ...consumerFaults(contract.consumers)];
  if (faults.length > 0) throw new Error(`${file} is no sound contract: ${faults.join('; ')}`);
  return contract;
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`the contract cannot be read: ${(cause as Error).message}`, { cause });
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
