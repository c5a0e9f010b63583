import type { SearchFilters } from '../../services/query/plain-language/interpretation.ts';

/** A search in plain language over the bundled sample, and what it means. */
interface Phrase {
  readonly text: string;
  readonly filters: SearchFilters;
  /** Words to search for; none where left out. */
  readonly q?: string;
}

const genres: readonly Phrase[] = [
  { text: 'techno', filters: { style: ['Techno'] } },
  { text: 'Show me some jazz', filters: { genre: ['Jazz'] } },
  { text: 'I want to hear deep house', filters: { style: ['Deep House'] } },
  { text: 'hip-hop records', filters: { genre: ['Hip Hop'] } },
  { text: 'drum and bass', filters: { style: ['Drum and Bass'] } },
  { text: 'find me dnb', filters: { style: ['Drum and Bass'] } },
  { text: 'post punk', filters: { style: ['Post-Punk'] } },
  { text: 'some good shoegaze please', filters: { style: ['Shoegaze'] } },
  { text: 'rnb', filters: { genre: ['R&B'] } },
  { text: 'acid techno', filters: { style: ['Acid Techno'] } },
  { text: 'singer songwriter stuff', filters: { style: ['Singer-Songwriter'] } },
  { text: "I'm looking for krautrock", filters: { style: ['Krautrock'] } },
  { text: 'ambient and drone', filters: { style: ['Ambient', 'Drone'], style_mode: 'and' } },
  { text: 'dub or dancehall', filters: { style: ['Dub', 'Dancehall'], style_mode: 'or' } },
  { text: 'shoegaze or dream pop', filters: { style: ['Shoegaze', 'Dream Pop'], style_mode: 'or' } },
  { text: 'techno, house or electro', filters: { style: ['Techno', 'House', 'Electro'], style_mode: 'or' } },
  { text: 'grime and dubstep', filters: { style: ['Grime', 'Dubstep'], style_mode: 'and' } },
  { text: 'rock or jazz', filters: { genre: ['Rock', 'Jazz'], genre_mode: 'or' } },
  { text: 'trip hop music', filters: { style: ['Trip Hop'] } },
  { text: 'anything experimental', filters: { genre: ['Experimental'] } },
  { text: 'bossa nova', filters: { style: ['Bossa Nova'] } },
  { text: 'new york hardcore', filters: { style: ['New York Hardcore'] } },
  { text: 'west coast hip hop', filters: { style: ['West Coast Hip Hop'] } },
  { text: 'uk garage', filters: { style: ['UK Garage'] } },
  { text: 'french house', filters: { style: ['French House'] } },
  { text: 'rock n roll', filters: { style: ['Rock & Roll'] } },
  { text: 'film soundtracks', filters: { style: ['Film Soundtrack'] } },
  { text: 'jazz with a bit of spoken word', filters: { genre: ['Jazz'], style: ['Spoken Word'] } },
  { text: 'electronic music, ambient style', filters: { genre: ['Electronic'], style: ['Ambient'] } },
];

const years: readonly Phrase[] = [
  { text: 'techno from the nineties', filters: { style: ['Techno'], year_from: 1990, year_to: 1999 } },
  { text: '90s techno', filters: { style: ['Techno'], year_from: 1990, year_to: 1999 } },
  { text: "house music of the '80s", filters: { style: ['House'], year_from: 1980, year_to: 1989 } },
  { text: 'jazz from the 1960s', filters: { genre: ['Jazz'], year_from: 1960, year_to: 1969 } },
  { text: 'sixties soul', filters: { genre: ['Soul'], year_from: 1960, year_to: 1969 } },
  { text: 'early 90s shoegaze', filters: { style: ['Shoegaze'], year_from: 1990, year_to: 1993 } },
  { text: 'late eighties acid house', filters: { style: ['Acid House'], year_from: 1987, year_to: 1989 } },
  { text: 'mid-nineties jungle', filters: { style: ['Jungle'], year_from: 1994, year_to: 1996 } },
  { text: 'synthpop from the early 1980s', filters: { style: ['Synthpop'], year_from: 1980, year_to: 1983 } },
  { text: 'idm between 1992 and 1995', filters: { style: ['IDM'], year_from: 1992, year_to: 1995 } },
  { text: 'punk from 1976 to 1979', filters: { style: ['Punk'], year_from: 1976, year_to: 1979 } },
  { text: 'grunge 1990-1994', filters: { style: ['Grunge'], year_from: 1990, year_to: 1994 } },
  { text: 'dubstep since 2010', filters: { style: ['Dubstep'], year_from: 2010 } },
  { text: 'reggae before 1980', filters: { genre: ['Reggae'], year_to: 1979 } },
  { text: 'disco in 1979', filters: { style: ['Disco'], year_from: 1979, year_to: 1979 } },
  { text: 'indie rock after 2005', filters: { style: ['Indie Rock'], year_from: 2006 } },
  { text: 'trap from 2015 onwards', filters: { style: ['Trap'], year_from: 2015 } },
  { text: 'britpop until 1997', filters: { style: ['Britpop'], year_to: 1997 } },
  { text: 'pre-1970 blues', filters: { genre: ['Blues'], year_to: 1969 } },
  {
    text: 'post-punk from the 70s and 80s',
    filters: { style: ['Post-Punk'], year_from: 1970, year_to: 1989 },
  },
  { text: 'grime of the 2000s', filters: { style: ['Grime'], year_from: 2000, year_to: 2009 } },
  {
    text: 'garage rock from the noughties',
    filters: { style: ['Garage Rock'], year_from: 2000, year_to: 2009 },
  },
  { text: 'released in 2017', filters: { year_from: 2017, year_to: 2017 } },
  { text: 'folk released before 1975', filters: { genre: ['Folk'], year_to: 1974 } },
  { text: 'late 70s and early 80s funk', filters: { genre: ['Funk'], year_from: 1977, year_to: 1983 } },
  { text: 'new wave up to 1985', filters: { style: ['New Wave'], year_to: 1985 } },
  { text: 'metal since the eighties', filters: { genre: ['Metal'], year_from: 1980 } },
  { text: 'country before the 70s', filters: { genre: ['Country'], year_to: 1969 } },
];

const places: readonly Phrase[] = [
  { text: 'german techno', filters: { style: ['Techno'], country: ['Germany'] } },
  { text: 'techno from Germany', filters: { style: ['Techno'], country: ['Germany'] } },
  { text: 'punk rock from the UK', filters: { style: ['Punk Rock'], country: ['UK'] } },
  { text: 'british jazz', filters: { genre: ['Jazz'], country: ['UK'] } },
  { text: 'american folk', filters: { genre: ['Folk'], country: ['US'] } },
  { text: 'house from the USA', filters: { style: ['House'], country: ['US'] } },
  { text: 'soul from the United States', filters: { genre: ['Soul'], country: ['US'] } },
  { text: 'techno from Detroit', filters: { style: ['Techno'], country: ['US'] } },
  { text: 'Chicago house', filters: { style: ['House'], country: ['US'] } },
  { text: 'minimal techno from Berlin', filters: { style: ['Minimal Techno'], country: ['Germany'] } },
  { text: 'Japanese ambient', filters: { style: ['Ambient'], country: ['Japan'] } },
  { text: 'japanese noise from tokyo', filters: { style: ['Noise'], country: ['Japan'] } },
  { text: 'french pop from France', filters: { style: ['French Pop'], country: ['France'] } },
  { text: 'death metal from Sweden', filters: { style: ['Death Metal'], country: ['Sweden'] } },
  { text: 'norwegian black metal', filters: { style: ['Black Metal'], country: ['Norway'] } },
  { text: 'italian disco', filters: { style: ['Disco'], country: ['Italy'] } },
  { text: 'canadian indie rock', filters: { style: ['Indie Rock'], country: ['Canada'] } },
  {
    text: 'psychedelic rock out of Australia',
    filters: { style: ['Psychedelic Rock'], country: ['Australia'] },
  },
  {
    text: 'electronic music from Germany or France',
    filters: { genre: ['Electronic'], country: ['Germany', 'France'], country_mode: 'or' },
  },
  {
    text: 'techno from the UK and Germany',
    filters: { style: ['Techno'], country: ['UK', 'Germany'], country_mode: 'or' },
  },
  { text: 'trip hop from Bristol', filters: { style: ['Trip Hop'], country: ['UK'] } },
  { text: 'Manchester post-punk', filters: { style: ['Post-Punk'], country: ['UK'] } },
  { text: 'music from Denmark', filters: { country: ['Denmark'] } },
  { text: 'rock made in Spain', filters: { genre: ['Rock'], country: ['Spain'] } },
  { text: 'russian experimental music', filters: { genre: ['Experimental'], country: ['Russia'] } },
  { text: 'grunge from Seattle', filters: { style: ['Grunge'], country: ['US'] } },
  { text: 'english folk rock', filters: { style: ['Folk Rock'], country: ['UK'] } },
];

const formats: readonly Phrase[] = [
  { text: 'techno on vinyl', filters: { style: ['Techno'], format: ['Vinyl'] } },
  { text: 'jazz LPs', filters: { genre: ['Jazz'], format: ['LP'] } },
  { text: 'house 12"', filters: { style: ['House'], format: ['12"'] } },
  { text: 'disco twelve inches', filters: { style: ['Disco'], format: ['12"'] } },
  { text: 'punk 7 inch', filters: { style: ['Punk'], format: ['7"'] } },
  { text: 'ambient cassettes', filters: { style: ['Ambient'], format: ['Cassette'] } },
  { text: 'noise on tape', filters: { style: ['Noise'], format: ['Cassette'] } },
  { text: 'rock CDs', filters: { genre: ['Rock'], format: ['CD'] } },
  { text: 'IDM EPs', filters: { style: ['IDM'], format: ['EP'] } },
  { text: 'jazz albums', filters: { genre: ['Jazz'], format: ['Album', 'LP'], format_mode: 'or' } },
  { text: 'soul singles', filters: { genre: ['Soul'], format: ['Single'] } },
  { text: 'reggae compilations', filters: { genre: ['Reggae'], format: ['Compilation'] } },
  {
    text: 'hip hop on vinyl or cassette',
    filters: { genre: ['Hip Hop'], format: ['Vinyl', 'Cassette'], format_mode: 'or' },
  },
  {
    text: 'metal on CD and vinyl',
    filters: { genre: ['Metal'], format: ['CD', 'Vinyl'], format_mode: 'and' },
  },
  { text: 'box sets', filters: { format: ['Box Set'] } },
  { text: 'folk mixtape', filters: { genre: ['Folk'], format: ['Mixtape'] } },
  { text: 'remastered prog rock', filters: { style: ['Prog Rock'], format: ['Remastered'] } },
  {
    text: 'limited edition shoegaze vinyl',
    filters: { style: ['Shoegaze'], format: ['Limited Edition', 'Vinyl'], format_mode: 'and' },
  },
];

const labels: readonly Phrase[] = [
  { text: 'idm on Warp', filters: { style: ['IDM'], label: ['Warp'] } },
  { text: 'released by Warp Records', filters: { label: ['Warp Records'] } },
  { text: 'jazz on Blue Note', filters: { genre: ['Jazz'], label: ['Blue Note'] } },
  { text: 'grunge on sub pop', filters: { style: ['Grunge'], label: ['Sub Pop'] } },
  { text: 'dubstep from Hyperdub', filters: { style: ['Dubstep'], label: ['Hyperdub'] } },
  {
    text: 'downtempo on Ninja Tune or Big Dada',
    filters: { style: ['Downtempo'], label: ['Ninja Tune', 'Big Dada'], label_mode: 'or' },
  },
  { text: 'everything on 4AD', filters: { label: ['4AD'] } },
  { text: 'soul on the Motown label', filters: { genre: ['Soul'], label: ['Motown'] } },
  { text: 'techno released on R&S', filters: { style: ['Techno'], label: ['R&S'] } },
  { text: 'the label Kompakt', filters: { label: ['Kompakt'] } },
  { text: 'indie rock from Matador Records', filters: { style: ['Indie Rock'], label: ['Matador Records'] } },
  { text: 'footwork on planet mu', filters: { style: ['Footwork'], label: ['Planet Mu'] } },
  {
    text: 'hip hop on Stones Throw and Def Jam',
    filters: { genre: ['Hip Hop'], label: ['Stones Throw', 'Def Jam'], label_mode: 'or' },
  },
  { text: 'put out by Rough Trade', filters: { label: ['Rough Trade'] } },
];

const names: readonly Phrase[] = [
  { text: 'techno by Jeff Mills', filters: { style: ['Techno'] }, q: 'Jeff Mills' },
  { text: 'something by Boards of Canada', filters: {}, q: 'Boards of Canada' },
  { text: 'albums by Aphex Twin', filters: { format: ['Album', 'LP'], format_mode: 'or' }, q: 'Aphex Twin' },
  { text: 'dark side of the moon', filters: {}, q: 'dark side of the moon' },
  { text: 'dark side of the moon on vinyl', filters: { format: ['Vinyl'] }, q: 'dark side of the moon' },
  { text: '"Blue Monday" on 12"', filters: { format: ['12"'] }, q: 'Blue Monday' },
  { text: '"House of Jealous Lovers"', filters: {}, q: 'House of Jealous Lovers' },
  { text: 'songs by The Cure from the 80s', filters: { year_from: 1980, year_to: 1989 }, q: 'The Cure' },
  {
    text: 'Selected Ambient Works by Aphex Twin on Warp',
    filters: { label: ['Warp'] },
    q: 'Selected Ambient Works Aphex Twin',
  },
  { text: 'massive attack', filters: {}, q: 'massive attack' },
  { text: 'american pie', filters: {}, q: 'american pie' },
  { text: 'Radiohead in the nineties', filters: { year_from: 1990, year_to: 1999 }, q: 'Radiohead' },
];

const negations: readonly Phrase[] = [
  { text: 'idm but not by Aphex Twin', filters: { style: ['IDM'], exclude_artist: 'Aphex Twin' } },
  {
    text: 'shoegaze without My Bloody Valentine',
    filters: { style: ['Shoegaze'], exclude_artist: 'My Bloody Valentine' },
  },
  { text: 'techno, nothing by Jeff Mills', filters: { style: ['Techno'], exclude_artist: 'Jeff Mills' } },
  { text: 'everything on Warp except Autechre', filters: { label: ['Warp'], exclude_artist: 'Autechre' } },
  { text: 'grunge but nothing on Sub Pop', filters: { style: ['Grunge'], exclude_label: 'Sub Pop' } },
  { text: 'dubstep, no Hyperdub', filters: { style: ['Dubstep'], exclude_label: 'Hyperdub' } },
  { text: 'jazz not on Blue Note', filters: { genre: ['Jazz'], exclude_label: 'Blue Note' } },
  { text: 'britpop excluding Oasis', filters: { style: ['Britpop'], exclude_artist: 'Oasis' } },
  {
    text: 'acid techno from Detroit in the nineties, no compilations by Plastikman',
    filters: {
      style: ['Acid Techno'],
      country: ['US'],
      year_from: 1990,
      year_to: 1999,
      exclude_artist: 'Plastikman',
    },
  },
  {
    text: 'trip hop, no Portishead, from the 90s',
    filters: { style: ['Trip Hop'], year_from: 1990, year_to: 1999, exclude_artist: 'Portishead' },
  },
  { text: 'techno without vinyl', filters: { style: ['Techno'] } },
  { text: 'electronic but no house', filters: { genre: ['Electronic'] } },
  {
    text: 'soul from the 60s except for Motown releases',
    filters: { genre: ['Soul'], year_from: 1960, year_to: 1969, exclude_label: 'Motown' },
  },
  { text: 'no doubt', filters: {}, q: 'no doubt' },
  { text: 'nothing compares 2 u', filters: {}, q: 'nothing compares 2 u' },
];

const mixed: readonly Phrase[] = [
  {
    text: 'german krautrock LPs from the early 70s',
    filters: { style: ['Krautrock'], country: ['Germany'], format: ['LP'], year_from: 1970, year_to: 1973 },
  },
  {
    text: 'show me UK dubstep 12"s between 2005 and 2009',
    filters: { style: ['Dubstep'], country: ['UK'], format: ['12"'], year_from: 2005, year_to: 2009 },
  },
  {
    text: 'deep house or tech house from Berlin since 2005',
    filters: { style: ['Deep House', 'Tech House'], style_mode: 'or', country: ['Germany'], year_from: 2005 },
  },
  {
    text: 'japanese city ambient on cassette from 1985',
    filters: { style: ['Ambient'], country: ['Japan'], format: ['Cassette'], year_from: 1985, year_to: 1985 },
    q: 'city',
  },
  {
    text: 'I am looking for some old american country blues on vinyl before 1960',
    filters: { style: ['Country Blues'], country: ['US'], format: ['Vinyl'], year_to: 1959 },
    q: 'old',
  },
  {
    text: 'can you find post-rock from Canada on Constellation',
    filters: { style: ['Post-Rock'], country: ['Canada'], label: ['Constellation'] },
  },
  { text: 'jazz fusion played by at least 20 DJs', filters: { style: ['Jazz Fusion'], dj_count_min: 20 } },
  { text: 'techno with more than 50 djs', filters: { style: ['Techno'], dj_count_min: 51 } },
  {
    text: 'electronic music from Sheffield on Warp in the early nineties',
    filters: { genre: ['Electronic'], country: ['UK'], label: ['Warp'], year_from: 1990, year_to: 1993 },
  },
  {
    text: 'psychedelic soul singles from the late sixties',
    filters: { style: ['Psychedelic Soul'], format: ['Single'], year_from: 1967, year_to: 1969 },
  },
  {
    text: 'swedish pop or dance from 1995 to 2000',
    filters: {
      style: ['Pop', 'Dance'],
      style_mode: 'or',
      country: ['Sweden'],
      year_from: 1995,
      year_to: 2000,
    },
  },
  {
    text: 'noise rock by Sonic Youth in the 80s on vinyl',
    filters: { style: ['Noise Rock'], format: ['Vinyl'], year_from: 1980, year_to: 1989 },
    q: 'Sonic Youth',
  },
  {
    text: 'French electronic albums, 1996 to 2001, but not by Daft Punk',
    filters: {
      genre: ['Electronic'],
      country: ['France'],
      format: ['Album', 'LP'],
      format_mode: 'or',
      year_from: 1996,
      year_to: 2001,
      exclude_artist: 'Daft Punk',
    },
  },
  {
    text: 'Italian soundtracks of the seventies',
    filters: { style: ['Soundtracks'], country: ['Italy'], year_from: 1970, year_to: 1979 },
  },
  {
    text: 'ambient techno from the UK, 1992–95, on Warp or R&S',
    filters: {
      style: ['Ambient Techno'],
      country: ['UK'],
      label: ['Warp', 'R&S'],
      label_mode: 'or',
      year_from: 1992,
      year_to: 1995,
    },
  },
];

/** Years that are titles, and titles that have names of facets in them. */
const titles: readonly Phrase[] = [
  { text: '1989 by Taylor Swift', filters: {}, q: '1989 Taylor Swift' },
  { text: '1999 by Prince', filters: {}, q: '1999 Prince' },
  { text: 'Prince 1999', filters: {}, q: 'Prince 1999' },
  { text: 'taylor swift 1989', filters: {}, q: 'taylor swift 1989' },
  { text: '1984 by Van Halen on vinyl', filters: { format: ['Vinyl'] }, q: '1984 Van Halen' },
  { text: 'The 1975 on vinyl', filters: { format: ['Vinyl'] }, q: 'The 1975' },
  { text: 'techno 1999', filters: { style: ['Techno'], year_from: 1999, year_to: 1999 } },
  { text: 'Black Country, New Road', filters: {}, q: 'Black Country, New Road' },
  {
    text: 'Black Country, New Road on vinyl',
    filters: { format: ['Vinyl'] },
    q: 'Black Country New Road',
  },
  { text: 'New Order on 12"', filters: { format: ['12"'] }, q: 'New Order' },
  { text: 'Pop Will Eat Itself', filters: {}, q: 'Pop Will Eat Itself' },
  { text: 'House of Pain on cassette', filters: { format: ['Cassette'] }, q: 'House of Pain' },
  { text: 'Acid House Kings LPs', filters: { format: ['LP'] }, q: 'Acid House Kings' },
  { text: 'Soul Asylum by Soul Asylum', filters: {}, q: 'Soul Asylum Soul Asylum' },
  { text: 'Country Life by Roxy Music', filters: {}, q: 'Country Life Roxy Music' },
  { text: 'Acid House Kings', filters: {}, q: 'Acid House Kings' },
  { text: 'Deep House', filters: { style: ['Deep House'] } },
  { text: 'Detroit Techno', filters: { style: ['Techno'], country: ['US'] } },
  { text: 'German Techno', filters: { style: ['Techno'], country: ['Germany'] } },
  { text: 'Obscure French disco', filters: { style: ['Disco'], country: ['France'] }, q: 'Obscure' },
  { text: 'Classic Chicago house', filters: { style: ['House'], country: ['US'] }, q: 'Classic' },
];

const people: readonly Phrase[] = [
  {
    text: 'Rock albums by artists from Norway',
    filters: { genre: ['Rock'], format: ['Album', 'LP'], format_mode: 'or', country: ['Norway'] },
  },
  { text: 'house by French producers', filters: { style: ['House'], country: ['France'] } },
  { text: 'jazz by musicians from Sweden', filters: { genre: ['Jazz'], country: ['Sweden'] } },
  {
    text: 'owned by collectors and praised by critics',
    filters: {},
    q: 'owned by collectors and praised by critics',
  },
  { text: 'techno loved by critics', filters: { style: ['Techno'] } },
  { text: 'disco played by DJs', filters: { style: ['Disco'] } },
  { text: 'folk by female singers', filters: { genre: ['Folk'] } },
  { text: 'soul by The Staple Singers', filters: { genre: ['Soul'] }, q: 'The Staple Singers' },
];

const alternatives: readonly Phrase[] = [
  {
    text: 'UK or German techno',
    filters: { style: ['Techno'], country: ['UK', 'Germany'], country_mode: 'or' },
  },
  {
    text: 'French, German or Italian disco',
    filters: { style: ['Disco'], country: ['France', 'Germany', 'Italy'], country_mode: 'or' },
  },
  {
    text: 'New York or London jazz',
    filters: { genre: ['Jazz'], country: ['US', 'UK'], country_mode: 'or' },
  },
  { text: 'Bristol and London dubstep', filters: { style: ['Dubstep'], country: ['UK'] } },
  { text: 'rock from 1970s or 1990s', filters: { genre: ['Rock'], year_from: 1970, year_to: 1979 } },
  { text: 'soul from the 60s and the 90s', filters: { genre: ['Soul'], year_from: 1960, year_to: 1969 } },
  { text: 'between 2000 and 1990', filters: { year_from: 1990, year_to: 2000 } },
  { text: 'jazz between the 70s and 1965', filters: { genre: ['Jazz'], year_from: 1965, year_to: 1979 } },
  { text: 'idm 1999-02', filters: { style: ['IDM'], year_from: 1999, year_to: 2002 } },
  { text: '90s house since 1995', filters: { style: ['House'], year_from: 1995, year_to: 1999 } },
];

/** Written before the grammar was, and to be added to rather than bent to it. */
export const phrases: readonly Phrase[] = [
  ...genres,
  ...years,
  ...places,
  ...formats,
  ...labels,
  ...names,
  ...negations,
  ...mixed,
  ...titles,
  ...people,
  ...alternatives,
];
