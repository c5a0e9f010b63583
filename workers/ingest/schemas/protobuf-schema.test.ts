import { expect, it } from 'vitest';
import { valueFieldTypes } from '../decode/field-types.ts';
import { protobufSchema } from './protobuf-schema.ts';

it('reads a schema of a message that contains itself in many columns', () => {
  const fields = Array.from({ length: 300 }, (_, at) => `Row f${at} = ${at + 1};`);
  const { connectSchema } = protobufSchema(`syntax = "proto3"; message Row { ${fields.join(' ')} }`);
  expect(valueFieldTypes(connectSchema)?.size).toBe(300);
});
