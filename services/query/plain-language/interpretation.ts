type Mode = 'and' | 'or';

/** Filters of a search, named like its query parameters. An unset filter does not apply. */
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

/** The words and filters of a text in plain language. */
export interface Interpretation {
  /** Words to search for literally; empty if the filters cover the text. */
  q: string;
  filters: SearchFilters;
  /** The interpreter that gave the result. */
  engine: 'model' | 'grammar';
  /** From 0 to 1. */
  confidence: number;
  /** Words of the text that no filter covers. */
  unmatched: string[];
}

/** The current facet values of the index, in its spelling. */
export interface Vocabulary {
  genres: readonly string[];
  styles: readonly string[];
  formats: readonly string[];
  countries: readonly string[];
  /** A label in the spelling of the index; null if it has no such label. */
  labels(name: string): Promise<string | null>;
}
