import { type Static, Type } from '@sinclair/typebox';
import { errorCatalogue } from './http/errors.ts';

const closed = { additionalProperties: false };

export const ExchangeRequest = Type.Object({ code: Type.String() });

export const ExchangeBody = Type.Object(
  {
    token: Type.String(),
    expires_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    scopes: Type.Array(Type.String()),
    sub: Type.String(),
  },
  closed,
);

export const ProfileBody = Type.Object(
  {
    connected_sources: Type.Object(
      { scrobbler: Type.Boolean(), catalog: Type.Boolean(), upload: Type.Boolean() },
      closed,
    ),
    connected_source_count: Type.Integer(),
    resolved_cluster_ids: Type.Array(Type.String()),
  },
  closed,
);
export type Profile = Static<typeof ProfileBody>;

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      { code: Type.String({ pattern: `^(?:${Object.keys(errorCatalogue).join('|')})$` }) },
      closed,
    ),
  },
  closed,
);

/** What the connect page sends. */
export const ConnectForm = Type.Object({
  service: Type.String(),
  return: Type.String(),
  username: Type.String(),
  consent: Type.String(),
  as_somebody_else: Type.Optional(Type.String()),
  form_token: Type.String(),
});

/** What the page of connections sends to withdraw a consent. */
export const WithdrawForm = Type.Object({ receipt: Type.String(), form_token: Type.String() });
