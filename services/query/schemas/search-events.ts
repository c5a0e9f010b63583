import { type Static, Type } from '@sinclair/typebox';

/** Names of what a search can be refined by. */
const CHANGEABLE = ['genre', 'style', 'year_from', 'year_to', 'country', 'format', 'label', 'q'] as const;
const MOST_CHANGED_FACETS = 10;
const UUID = '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$';

const FacetValue = Type.Union([Type.String(), Type.Array(Type.String())]);

const common = {
  search_event_id: Type.String({ pattern: UUID, description: 'As the search answered it; a UUID.' }),
  timestamp: Type.String({
    description:
      'When it happened by the clock of the client: an ISO 8601 date-time with Z or an offset, at most five minutes from the clock of the service.',
  }),
};

export const ObservedEvent = Type.Object(
  {
    search_event_id: common.search_event_id,
    source: Type.String({ description: 'Where the client had the result from.' }),
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
      'Somebody changed the filters of a search. The first hundred such events of a search are kept; further ones are answered alike.',
  },
);
export type RefinedEvent = Static<typeof RefinedEvent>;

/** What did not fit a payload: of the whole, and by its members. */
export const PayloadFaults = Type.Object({
  formErrors: Type.Array(Type.String()),
  fieldErrors: Type.Record(Type.String(), Type.Array(Type.String())),
});
export type PayloadFaults = Static<typeof PayloadFaults>;

/** Body of every answer of status 400 and above to a beacon. */
export const BeaconErrorBody = Type.Object({
  error: Type.String({ description: 'Stable code to branch on.' }),
  details: Type.Optional(PayloadFaults),
  skew_ms: Type.Optional(
    Type.Number({
      description: 'How far the timestamp is ahead of the clock of the service; below zero where behind.',
    }),
  ),
});
export type BeaconErrorBody = Static<typeof BeaconErrorBody>;
