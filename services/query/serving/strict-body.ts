import { Ajv } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';

const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true });

/** Holds a body against its schema as it is: JSON has types, and what is of another one was not meant so. */
export const strictBody: FastifySchemaCompiler<object> = ({ schema }) => ajv.compile(schema);
