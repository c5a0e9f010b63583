import { foldName } from '../fold.ts';

/** The words for a country. */
interface Country {
  /** Possible spellings in the index. */
  readonly names: readonly string[];
  /** Adjectives of origin. */
  readonly adjectives: readonly string[];
  readonly cities: readonly string[];
}

/** `names: adjectives: cities`, each separated by commas. */
const COUNTRIES = `
US, USA, United States, United States of America, America: American: Detroit, Chicago, New York, New York City, NYC, Brooklyn, Harlem, Los Angeles, Hollywood, Compton, San Francisco, Oakland, San Diego, Seattle, Portland, Olympia, Atlanta, Memphis, Nashville, New Orleans, Philadelphia, Philly, Miami, Boston, Houston, Dallas, Austin, Minneapolis, Cleveland, Baltimore, Pittsburgh, New Jersey, California, Texas
UK, United Kingdom, Great Britain, Britain, England, Scotland, Wales, Northern Ireland: British, English, Scottish, Welsh: London, Manchester, Bristol, Sheffield, Leeds, Liverpool, Birmingham, Coventry, Nottingham, Newcastle, Brighton, Glasgow, Edinburgh, Cardiff, Belfast, Croydon
Germany, West Germany: German: Berlin, Cologne, Köln, Hamburg, Munich, München, Frankfurt, Düsseldorf, Leipzig, Dresden
France: French: Paris, Lyon, Marseille, Versailles
Italy: Italian: Rome, Milan, Naples, Turin, Bologna, Rimini
Spain: Spanish: Madrid, Barcelona, Valencia, Ibiza
Portugal: Portuguese: Lisbon, Porto
Netherlands, The Netherlands, Holland: Dutch: Amsterdam, Rotterdam, The Hague, Utrecht
Belgium: Belgian: Brussels, Antwerp, Ghent
Switzerland: Swiss: Zürich, Geneva, Lausanne
Austria: Austrian: Vienna, Graz
Sweden: Swedish: Stockholm, Gothenburg, Malmö
Norway: Norwegian: Oslo, Bergen
Denmark: Danish: Copenhagen
Finland: Finnish: Helsinki
Iceland: Icelandic: Reykjavik
Ireland: Irish: Dublin, Cork
Poland: Polish: Warsaw, Kraków
Czech Republic, Czechia, Czechoslovakia: Czech: Prague
Hungary: Hungarian: Budapest
Romania: Romanian: Bucharest
Bulgaria: Bulgarian: Sofia
Greece: Greek: Athens
Yugoslavia, Serbia: Serbian, Yugoslavian: Belgrade
Croatia: Croatian: Zagreb
Russia, USSR, Soviet Union: Russian, Soviet: Moscow, St Petersburg, Saint Petersburg, Leningrad
Ukraine: Ukrainian: Kiev, Kyiv
Turkey: Turkish, Anatolian: Istanbul
Israel: Israeli: Tel Aviv, Jerusalem
Lebanon: Lebanese: Beirut
Egypt: Egyptian: Cairo
Morocco: Moroccan: Casablanca, Marrakesh
Mali: Malian: Bamako
Ethiopia: Ethiopian: Addis Ababa
Nigeria: Nigerian: Lagos
Ghana: Ghanaian: Accra
South Africa: South African: Johannesburg, Soweto, Cape Town, Durban
Japan: Japanese: Tokyo, Osaka, Kyoto
China: Chinese: Beijing, Shanghai
Hong Kong: Cantonese:
Taiwan: Taiwanese: Taipei
South Korea, Korea: South Korean, Korean: Seoul
India: Indian: Mumbai, Bombay, Delhi, Goa
Indonesia: Indonesian: Jakarta, Bali
Malaysia: Malaysian: Kuala Lumpur
Thailand: Thai: Bangkok
Philippines: Filipino: Manila
Australia: Australian: Sydney, Melbourne, Brisbane, Perth
New Zealand: New Zealand: Auckland, Dunedin, Wellington
Canada: Canadian: Montreal, Toronto, Vancouver
Mexico: Mexican: Mexico City
Brazil: Brazilian: Rio de Janeiro, Rio, São Paulo, Bahia
Argentina: Argentinian, Argentine: Buenos Aires
Chile: Chilean: Santiago
Colombia: Colombian: Bogotá, Medellín, Cali
Peru: Peruvian: Lima
Cuba: Cuban: Havana
Jamaica: Jamaican: Kingston
Europe: European:`;

const countries: readonly Country[] = COUNTRIES.trim()
  .split('\n')
  .map((line) => {
    const [names, adjectives, cities] = line
      .split(':')
      .map((part) => part.split(',').flatMap((name) => name.trim() || []));
    return { names: names ?? [], adjectives: adjectives ?? [], cities: cities ?? [] };
  });

/** A word for a place of origin. */
export interface PlaceWord {
  /** The country in the spelling of the index; null if the index lacks it. */
  readonly country: string | null;
  /** "German" alone means the origin; "Berlin" may be a band. */
  readonly isAdjective: boolean;
}

/** Every word for a place, folded. @param spelt the countries of the index */
export function placesOf(spelt: readonly string[]): ReadonlyMap<string, PlaceWord> {
  const byFold = new Map(spelt.map((country) => [foldName(country), country]));
  const places = new Map<string, PlaceWord>();
  for (const { names, adjectives, cities } of countries) {
    const country = names.map((name) => byFold.get(foldName(name))).find((found) => found !== undefined);
    for (const name of [...cities, ...names])
      places.set(foldName(name), { country: country ?? null, isAdjective: false });
    for (const name of adjectives)
      places.set(foldName(name), { country: country ?? null, isAdjective: true });
  }
  for (const [fold, country] of byFold) places.set(fold, { country, isAdjective: false });
  return places;
}
