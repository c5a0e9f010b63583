import type { FastifyReply } from 'fastify';
import { ApiError, type ErrorCode, errorHeaders } from '../../http/errors.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import type { BeaconErrorBody, PayloadFaults } from './schema.ts';

/** Members of a beacon error beyond its code. */
export interface BeaconContext {
  readonly details?: PayloadFaults;
  readonly skewMs?: number;
}

/** An error of a beacon, whose body has its own format. */
export class BeaconError extends ApiError {
  readonly beacon: BeaconContext;

  constructor(code: ErrorCode, beacon: BeaconContext = {}) {
    super(code);
    this.beacon = beacon;
  }
}

/** The body of an error in the format of beacons. */
export function beaconErrorBody(error: ApiError): BeaconErrorBody {
  const { details, skewMs } = error instanceof BeaconError ? error.beacon : {};
  return {
    error: error.code,
    ...(details === undefined ? {} : { details }),
    ...(skewMs === undefined ? {} : { skew_ms: skewMs }),
  };
}

/** Sends an error in the format of beacons. */
export function sendBeaconError(reply: FastifyReply, error: ApiError): FastifyReply {
  reply.code(error.status).headers(errorHeaders(error));
  if (error.status === 401) reply.header('www-authenticate', challengeOf(error));
  return reply.type(JSON_TYPE).send(JSON.stringify(beaconErrorBody(error)));
}

const challengeOf = ({ code }: ApiError): string =>
  code === 'missing_token'
    ? 'Bearer realm="search-events"'
    : 'Bearer realm="search-events", error="invalid_token"';
