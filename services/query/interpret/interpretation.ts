type Mode = 'and' | 'or';

/** Filters of a search, under the names that its query has. A filter that is not set does not apply. */
export interface SearchFilters {
  genre?: string[];
  style?: string[];
  format?: string[];
  country?: string[];
  label?: string[];
  genre_mode?: Mode;
  style_mode?: Mode;
  format_mode?: Mode;
  country_mode?: Mode;
  label_mode?: Mode;
  year_from?: number;
  year_to?: number;
  cube_quadrant?: string;
  dj_count_min?: number;
  exclude_artist?: string;
  exclude_label?: string;
}

/** What a text in plain language asks the search for. */
export interface Interpretation {
  /** Words to search for as they are; empty where the filters say it all. */
  q: string;
  filters: SearchFilters;
  /** Which interpreter spoke. */
  engine: 'model' | 'grammar';
  /** From 0 to 1. */
  confidence: number;
  /** Words of the text that nothing was made of but words to search for, or nothing at all. */
  unmatched: string[];
}

/** The facet values that are searchable now, as they are spelt there. */
export interface Vocabulary {
  genres: readonly string[];
  styles: readonly string[];
  formats: readonly string[];
  countries: readonly string[];
  /** The label of that name as it is spelt in the index; null where there is none. */
  labels(name: string): Promise<string | null>;
}
