import type { JsonSchema } from './document.ts';

type Loose = { -readonly [Name in keyof JsonSchema]: JsonSchema[Name] } & Record<string, unknown>;

/** A schema in the form that readers and client generators handle best: enums for unions of constants, null as a type. */
export function plainSchema(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_name, value) =>
    Array.isArray(value?.anyOf) ? united(value) : value,
  );
}

function united({ anyOf = [], ...around }: Loose): Loose {
  const solid = anyOf.filter(({ type }) => type !== 'null');
  const merged = enumOf(solid) ?? (solid.length === 1 ? solid[0] : undefined);
  if (merged === undefined) return { ...around, anyOf };
  const result = { ...merged, ...around };
  return solid.length === anyOf.length ? result : withNull(result);
}

/** Constants of one type as an enum; undefined where the members are anything else. */
function enumOf(members: readonly JsonSchema[]): JsonSchema | undefined {
  const [first] = members;
  if (members.length < 2 || first?.type === undefined) return undefined;
  if (members.some((member) => member.const === undefined || member.type !== first.type)) return undefined;
  return { type: first.type, enum: members.map((member) => member.const) };
}

function withNull(schema: Loose): Loose {
  const { type, enum: values, const: only, description, ...around } = schema;
  const described = description === undefined ? {} : { description };
  if (type === undefined) return { ...described, anyOf: [around, { type: 'null' }] };
  const allowed = values ?? (only === undefined ? undefined : [only]);
  return {
    type: [...[type].flat(), 'null'],
    ...(allowed === undefined ? {} : { enum: [...allowed, null] }),
    ...described,
    ...around,
  };
}
