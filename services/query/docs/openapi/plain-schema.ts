import type { JsonSchema } from './document.ts';

type Loose = { -readonly [Name in keyof JsonSchema]: JsonSchema[Name] } & Record<string, unknown>;

/** A schema as readers and generators of clients know it best: enums for unions of constants, null as a type. */
export function plainSchema(schema: unknown): JsonSchema {
  return plain(JSON.parse(JSON.stringify(schema)) as Loose);
}

function plain(schema: Loose): JsonSchema {
  const { nullable, patternProperties, ...kept } = schema;
  let result = kept as Loose;
  if (result.properties !== undefined)
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, value]) => [name, plain(value as Loose)]),
    );
  if (result.items !== undefined) result.items = plain(result.items as Loose);
  if (typeof result.additionalProperties === 'object')
    result.additionalProperties = plain(result.additionalProperties as Loose);
  const [ofAnyName] = Object.values((patternProperties ?? {}) as Record<string, Loose>);
  if (ofAnyName !== undefined) result.additionalProperties = plain(ofAnyName);
  if (result.anyOf !== undefined) result = united(result);
  return nullable === true ? withNull(result) : result;
}

function united({ anyOf = [], ...around }: Loose): Loose {
  const members = anyOf.map((member) => plain(member as Loose));
  const solid = members.filter(({ type }) => type !== 'null');
  const merged = enumOf(solid) ?? (solid.length === 1 ? (solid[0] as Loose) : null);
  if (merged === null) return { ...around, anyOf: members };
  const result = { ...merged, ...around };
  return solid.length === members.length ? result : withNull(result);
}

/** Constants of one type as an enumeration; null where it takes more to say what may be there. */
function enumOf(members: readonly JsonSchema[]): Loose | null {
  const [first] = members;
  if (members.length < 2 || first === undefined) return null;
  if (members.some((member) => member.const === undefined || member.type !== first.type)) return null;
  return { type: first.type, enum: members.map((member) => member.const) } as Loose;
}

function withNull(schema: Loose): Loose {
  const { type, enum: values, const: only, ...around } = schema;
  if (type === undefined) {
    const { description, ...inner } = schema;
    const about = description === undefined ? {} : { description };
    return { ...about, anyOf: [inner, { type: 'null' }] } as Loose;
  }
  const allowed = values ?? (only === undefined ? undefined : [only]);
  return {
    type: [...[type].flat(), 'null'],
    ...(allowed === undefined ? {} : { enum: [...allowed, null] }),
    ...around,
  } as Loose;
}
