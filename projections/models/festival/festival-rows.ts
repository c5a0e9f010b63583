import type { Row, Source } from '../../contracts/contract.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { festivalEdition } from '../../contracts/seen/festival-edition.ts';
import { festivalLineup } from '../../contracts/seen/festival-lineup.ts';
import { subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { SubjectRows } from '../../engine/subject-rows.ts';
import { catalogSlug } from '../artist/lanes.ts';
import { artistPath } from '../shared/links.ts';

type EmergenceTier = Row<typeof artistMomentum>['emergence_tier'];

/** The mirror rows of one festival, and those of the artists in its line-ups. */
export class FestivalRows extends SubjectRows {
  readonly #artists: MirrorRows;

  readonly key: SubjectRef;

  /** @param artists rows of the clusters in line-ups and of the catalogue artists that these are bound to */
  constructor(key: SubjectRef, rows: MirrorRows, artists: MirrorRows) {
    super(rows, { festival: key });
    this.key = key;
    this.#artists = artists;
  }

  override changedAt(source: Source): number | null {
    if (source !== artistMomentum) return super.changedAt(source);
    const editions = new Set(this.all(festivalEdition).map(({ edition_id }) => edition_id));
    let newest: number | null = null;
    for (const { artist_cluster_id: artist, edition_id } of this.all(festivalLineup)) {
      if (!editions.has(edition_id)) continue;
      const changedAt = this.#artists.changedAt(source, subjectRef('artist', artist));
      if (changedAt !== null && (newest === null || changedAt > newest)) newest = changedAt;
    }
    return newest;
  }

  override reaches(source: Source): boolean {
    return source === artistMomentum || super.reaches(source);
  }

  /** Null without a momentum row of the artist. */
  emergenceTier(clusterId: string): EmergenceTier | null {
    return this.#artists.one(artistMomentum, subjectRef('artist', clusterId))?.emergence_tier ?? null;
  }

  /** Path of the artist's dossier: the catalogue's, if the cluster is bound to it authoritatively. */
  pathOf(clusterId: string): string {
    return artistPath(catalogSlug(clusterId, this.#artists, this.#artists) ?? clusterId);
  }
}
