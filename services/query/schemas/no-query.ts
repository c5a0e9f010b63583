import { Type } from '@sinclair/typebox';

/** Of a route that takes no parameters behind the question mark: a misspelt one is told, not ignored. */
export const NoQuery = Type.Object({}, { additionalProperties: false });
