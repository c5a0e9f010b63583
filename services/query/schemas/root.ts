import { Type } from '@sinclair/typebox';

export const RootBody = Type.Object({
  object: Type.Literal('root'),
  name: Type.String(),
  api_version: Type.String(),
  contract_version: Type.String(),
  as_of: Type.String({ description: 'The day that what depends on the date is computed for.' }),
  description: Type.String(),
  authentication: Type.Object({
    header: Type.String(),
    description: Type.String(),
  }),
  cold_start: Type.Array(
    Type.Object({
      step: Type.Integer(),
      call: Type.String(),
      take: Type.String(),
      why: Type.String(),
    }),
    { description: 'The calls that lead from a name to a dossier.' },
  ),
  endpoints: Type.Array(
    Type.Object({
      methods: Type.Array(Type.String()),
      path: Type.String(),
      summary: Type.String(),
      public: Type.Boolean(),
    }),
  ),
  _links: Type.Object({ self: Type.String(), docs: Type.String() }),
});
