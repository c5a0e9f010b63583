import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { closed } from './closed-schema.ts';

/** The body of a response with this status, without undeclared members. @throws AssertionError if it breaks the schema */
export function validBody<Body>(
  response: LightMyRequestResponse,
  status: number,
  schema: TSchema & { static: Body },
): Body {
  expect(response.statusCode, response.body).toBe(status);
  expect(response.headers['content-type']).toMatch(/^application\/(?:problem\+)?json/);
  const body: Body = response.json();
  expect([...Value.Errors(closed(schema), body)], response.body).toEqual([]);
  return body;
}
