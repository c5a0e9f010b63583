import { Type } from '@sinclair/typebox';

const Anything = Type.Record(Type.String(), Type.Unknown());

/** As much of an OpenAPI document as whoever reads one relies on. */
export const OpenApiBody = Type.Object({
  openapi: Type.String({ description: 'Version of the OpenAPI specification.' }),
  info: Type.Object({
    title: Type.String(),
    version: Type.String({ description: 'Rises with every change of the document.' }),
    description: Type.String(),
  }),
  servers: Type.Array(Type.Object({ url: Type.String() })),
  security: Type.Array(Anything),
  tags: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
  paths: Type.Record(Type.String(), Type.Unknown(), { description: 'Operations by path and method.' }),
  components: Anything,
  'x-error-codes': Type.Record(
    Type.String(),
    Type.Object({ status: Type.Integer(), message: Type.String(), hint: Type.String() }),
    { description: 'Every code that error can have.' },
  ),
});
