import type { FastifyReply } from 'fastify';
import { JSON_TYPE } from '../../http/json-type.ts';
import { type ApiError, errorHeaders } from '../errors.ts';
import type { BeaconErrorBody } from '../schemas/search-events.ts';
import { BeaconError } from './beacon-error.ts';

/** Answers an error in the form that beacons have. */
export function answerBeaconError(reply: FastifyReply, error: ApiError): FastifyReply {
  const { details, skewMs } = error instanceof BeaconError ? error.beacon : {};
  const body: BeaconErrorBody = {
    error: error.code,
    ...(details === undefined ? {} : { details }),
    ...(skewMs === undefined ? {} : { skew_ms: skewMs }),
  };
  reply.code(error.status).headers(errorHeaders(error));
  if (error.status === 401) reply.header('www-authenticate', challengeOf(error));
  return reply.type(JSON_TYPE).send(JSON.stringify(body));
}

const challengeOf = ({ code }: ApiError): string =>
  code === 'missing_token'
    ? 'Bearer realm="search-events"'
    : 'Bearer realm="search-events", error="invalid_token"';
