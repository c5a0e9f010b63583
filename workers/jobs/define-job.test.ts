import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { defineJob } from './define-job.ts';
import { jobs } from './index.ts';

const job = defineJob({
  name: 'example',
  schedule: null,
  attempts: 1,
  backoff: 1,
  timeout: 1,
  data: Type.Object(
    { size: Type.Integer({ minimum: 1 }), loud: Type.Boolean({ default: false }) },
    { additionalProperties: false },
  ),
  run: async () => ({}),
});

it('fills in defaults without changing its input', () => {
  const given = Object.freeze({ size: 3 });
  expect(job.parse(given)).toEqual({ size: 3, loud: false });
  expect(given).toEqual({ size: 3 });
});

it.each([
  [{ size: 0 }, 'example cannot run with this data: size: Expected integer to be greater or equal to 1'],
  [
    { size: 1, loud: 'yes', more: 1 },
    'example cannot run with this data: more: Unexpected property; loud: Expected boolean',
  ],
  [undefined, 'example cannot run with this data: size: Expected required property; size: Expected integer'],
  ['text', 'example cannot run with this data: data: Expected object'],
])('lists every violation of %j', (data, complaint) => {
  expect(() => job.parse(data)).toThrow(new Error(complaint));
});

it('schedules only jobs that need no input', () => {
  for (const { schedule, parse } of jobs) if (schedule !== null) expect(() => parse({})).not.toThrow();
});

it('gives each job a unique name', () => {
  const names = jobs.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
