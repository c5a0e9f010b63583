import { Type } from '@sinclair/typebox';

/** The query of a route without query parameters. */
export const NoQuery = Type.Object({}, { additionalProperties: false });
