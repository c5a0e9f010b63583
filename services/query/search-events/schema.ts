import { type Static, Type } from '@sinclair/typebox';

/** Facets that a refinement can change. */
const CHANGEABLE = ['genre', 'style', 'year_from', 'year_to', 'country', 'format', 'label', 'q'] as const;
const MOST_CHANGED_FACETS = 10;
const UUID = '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$';

const FacetValue = Type.Union([Type.String(), Type.Array(Type.String())]);

const common = {
  search_event_id: Type.String({ pattern: UUID, description: 'UUID from the response of the search.' }),
  timestamp: Type.String({
    description:
      'Time of the event by the client clock: an ISO 8601 date-time with Z or an offset, at most five minutes from the clock of the service.',
  }),
};

export const ObservedEvent = Type.Object(
  {
    search_event_id: common.search_event_id,
    source: Type.String({ description: 'Where the client got the result from.' }),
    timestamp: common.timestamp,
  },
  { description: 'A search result was served from a cache.' },
);
export type ObservedEvent = Static<typeof ObservedEvent>;

const ChangedFacet = Type.Object({
  name: Type.Union(CHANGEABLE.map((name) => Type.Literal(name))),
  from: FacetValue,
  to: FacetValue,
});

export const RefinedEvent = Type.Object(
  {
    search_event_id: common.search_event_id,
    changed_facets: Type.Array(ChangedFacet, { maxItems: MOST_CHANGED_FACETS }),
    timestamp: common.timestamp,
  },
  {
    description:
      'The user changed the filters of a search. The first hundred such events of a search are stored; further events get the same response.',
  },
);
export type RefinedEvent = Static<typeof RefinedEvent>;

/** Validation errors of a payload: of the whole and by member. */
export const PayloadFaults = Type.Object({
  formErrors: Type.Array(Type.String()),
  fieldErrors: Type.Record(Type.String(), Type.Array(Type.String())),
});
export type PayloadFaults = Static<typeof PayloadFaults>;

/** Error body of a beacon. */
export const BeaconErrorBody = Type.Object({
  error: Type.String({ description: 'Stable code to branch on.' }),
  details: Type.Optional(PayloadFaults),
  skew_ms: Type.Optional(
    Type.Number({
      description:
        'Milliseconds that the timestamp is ahead of the clock of the service; negative if behind.',
    }),
  ),
});
export type BeaconErrorBody = Static<typeof BeaconErrorBody>;
