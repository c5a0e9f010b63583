import { type Static, Type } from '@sinclair/typebox';
import type { Row } from '../../../contracts/contract.ts';
import { festivalEdition } from '../../../contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../../contracts/seen/festival-lineup.ts';
import { defineFacet, fromSource } from '../../../engine/facet.ts';
import { ascending, descending, sorted } from '../../../engine/order.ts';
import { orNull } from '../../../engine/values.ts';
import { ArtistLink } from '../../shared/links.ts';
import type { FestivalRows } from '../festival-rows.ts';

type EditionRow = Row<typeof festivalEdition>;
type LineupRow = Row<typeof festivalLineup>;
/** Entries of one year, by edition id. */
type SameYear = readonly [EditionRow, ...EditionRow[]];
type LineupRows = ReadonlyMap<string, readonly LineupRow[]>;

const Act = Type.Object(
  {
    clusterId: Type.String({ description: 'Cluster id of the artist, 64 hex digits.' }),
    name: Type.String({ description: 'Name of the artist as billed.' }),
    stage: orNull(Type.String({ description: 'Stage that the artist plays; null where unknown.' })),
    playsOn: orNull(
      Type.String({ format: 'date', description: 'Day on which the artist plays; null where unknown.' }),
    ),
    billingOrder: orNull(
      Type.Integer({ description: 'Place in the billing, least for the headliner; null where unknown.' }),
    ),
    _links: ArtistLink,
  },
  { description: 'One artist of the line-up.' },
);

const Edition = Type.Object(
  {
    editionId: Type.String({ description: 'Id of the edition.' }),
    year: Type.Integer({ description: 'Year of the edition.' }),
    title: orNull(Type.String({ description: 'Title of the edition; null where unknown.' })),
    startsOn: orNull(Type.String({ format: 'date', description: 'First day; null where unknown.' })),
    endsOn: orNull(Type.String({ format: 'date', description: 'Last day; null where unknown.' })),
    venue: orNull(Type.String({ description: 'Venue of the edition; null where unknown.' })),
    city: orNull(Type.String({ description: 'City of the edition; null where unknown.' })),
    country: orNull(
      Type.String({ description: 'Country of the edition, ISO 3166 alpha-2; null where unknown.' }),
    ),
    cancelled: Type.Boolean({ description: 'Whether the edition was cancelled.' }),
    lineupCount: fromSource(festivalLineup, Type.Integer({ description: 'Artists in the line-up.' })),
    lineup: fromSource(
      festivalLineup,
      Type.Array(Act, { description: 'The line-up, by billing, then by name.' }),
    ),
  },
  { description: 'One edition.' },
);

export const editions = defineFacet({
  name: 'editions',
  sources: [festivalEdition, festivalLineup],
  decidedBy: [festivalEdition],
  description: 'The editions, the newest first, each with its line-up.',
  signals: Type.Object({
    count: Type.Integer({ description: 'Editions on file.' }),
    firstYear: Type.Integer({ description: 'Year of the earliest edition.' }),
    latestYear: Type.Integer({ description: 'Year of the latest edition.' }),
    items: Type.Array(Edition, { description: 'The editions, newest first.' }),
  }),
  read(rows: FestivalRows) {
    const years = newestYearFirst(rows.all(festivalEdition));
    const [latest] = years;
    const first = years.at(-1);
    if (latest === undefined || first === undefined) return null;
    const lineups = Map.groupBy(rows.all(festivalLineup), (row) => row.edition_id);
    return {
      count: years.length,
      firstYear: first[0].year,
      latestYear: latest[0].year,
      items: years.map((entries) => editionOf(entries, lineups, rows)),
    };
  },
});

/** Several sources may report the same edition, so entries of one year are one edition. */
function newestYearFirst(entries: readonly EditionRow[]): SameYear[] {
  const years = new Map<number, [EditionRow, ...EditionRow[]]>();
  for (const entry of sorted(
    entries,
    ascending(({ edition_id }) => edition_id),
  )) {
    const sameYear = years.get(entry.year);
    if (sameYear === undefined) years.set(entry.year, [entry]);
    else sameYear.push(entry);
  }
  return sorted(
    [...years.values()],
    descending(([{ year }]) => year),
  );
}

function editionOf(entries: SameYear, lineups: LineupRows, rows: FestivalRows): Static<typeof Edition> {
  const lineup = lineupOf(entries, lineups, rows);
  return {
    editionId: entries[0].edition_id,
    year: entries[0].year,
    title: firstKnown(entries, ({ title }) => title),
    startsOn:
      sorted(
        entries.map(({ starts_on }) => starts_on),
        ascending((day) => day),
      )[0] ?? null,
    endsOn:
      sorted(
        entries.map(({ ends_on }) => ends_on),
        descending((day) => day),
      )[0] ?? null,
    venue: firstKnown(entries, ({ venue }) => venue),
    city: firstKnown(entries, ({ city }) => city),
    country: firstKnown(entries, ({ country }) => country),
    cancelled: entries.every(({ cancelled }) => cancelled),
    lineupCount: lineup.length,
    lineup,
  };
}

function firstKnown<T>(entries: readonly EditionRow[], take: (entry: EditionRow) => T | null): T | null {
  for (const entry of entries) {
    const value = take(entry);
    if (value !== null) return value;
  }
  return null;
}

/** Each artist once, by the row with the highest billing; the first entry wins ties because sorting is stable. */
function lineupOf(entries: SameYear, lineups: LineupRows, rows: FestivalRows): Static<typeof Act>[] {
  const billed = sorted(
    entries.flatMap(({ edition_id }) => lineups.get(edition_id) ?? []),
    ascending((row) => row.billing_order),
  );
  const acts = new Map<string, LineupRow>();
  for (const row of billed) if (!acts.has(row.artist_cluster_id)) acts.set(row.artist_cluster_id, row);
  return sorted(
    [...acts.values()],
    ascending((row) => row.billing_order),
    ascending((row) => row.artist_name),
    ascending((row) => row.artist_cluster_id),
  ).map((row) => ({
    clusterId: row.artist_cluster_id,
    name: row.artist_name,
    stage: row.stage,
    playsOn: row.plays_on,
    billingOrder: row.billing_order,
    _links: { artist: rows.pathOf(row.artist_cluster_id) },
  }));
}
