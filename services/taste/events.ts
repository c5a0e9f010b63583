import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

/** An action of a user or a consumer. No event names them. */
type TasteEvent =
  | 'consent granted'
  | 'consent withdrawn'
  | 'connect refused'
  | 'connect limited'
  | 'form refused'
  | 'code exchanged'
  | 'code refused'
  | 'profile read'
  | 'token refused'
  | 'token revoked';

interface EventDetails {
  /** Ids of the contract. */
  readonly consumer?: string;
  readonly service?: string;
}

export type RecordEvent = (event: TasteEvent, details?: EventDetails) => void;

/** Events that are worth a line each; the others are only counted. */
const LOGGED: ReadonlySet<TasteEvent> = new Set([
  'consent granted',
  'consent withdrawn',
  'code exchanged',
  'token revoked',
]);

/** Counts events, and logs changes of rights without naming the person. */
export function eventRecorder(log: Logger, registry: Registry | null): RecordEvent {
  const counter =
    registry === null
      ? null
      : new Counter({
          name: 'linernotes_taste_events_total',
          help: 'What users and consumers did with taste profiles.',
          labelNames: ['event'],
          registers: [registry],
        });
  return (event, details = {}) => {
    counter?.inc({ event });
    if (LOGGED.has(event)) log.info(details, event);
  };
}
