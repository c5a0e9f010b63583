import { type Static, type TNull, type TSchema, type TUnion, Type } from '@sinclair/typebox';

/** A field that is null if unknown. */
export const orNull = <T extends TSchema>(schema: T): TUnion<[T, TNull]> => Type.Union([schema, Type.Null()]);

export const Count = Type.Object({
  kind: Type.Literal('count', { description: 'Always count.' }),
  value: Type.Number({ description: 'The number itself.' }),
});
export type Count = Static<typeof Count>;

/** A wrapped count. Null stays null, because 0 would be a statement. */
export const count = <N extends number | null>(value: N): Count | (N extends null ? null : never) =>
  (value === null ? null : { kind: 'count', value }) as Count | (N extends null ? null : never);

/** Fewer people could be identified, so a smaller number of wishes is reported as 0. */
const WISHES_FLOOR = 5;

/** Whether wishes are below the floor. Other values about them must be null then, or they would reveal few from none. */
export const areFewWishes = (wishes: number | null): boolean => wishes !== null && wishes < WISHES_FLOOR;

export const floorWishes = <N extends number | null>(wishes: N): N | 0 => (areFewWishes(wishes) ? 0 : wishes);
