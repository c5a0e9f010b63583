/** One item in quotes, with characters escaped, or bare; and what ends it. Only ASCII has space that is none of it. */
const ITEM =
  /[ \t\n\r\v\f]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^",{}\\ \t\n\r\v\f](?:[^",{}\\]*[^",{}\\ \t\n\r\v\f])?))[ \t\n\r\v\f]*([,}])/sy;
const ESCAPED = /\\(.)/gs;

/** The items of an array of one dimension as PostgreSQL writes it, `{a,"b c",NULL}`; null for any other text. */
export function parseArrayText(text: string): (string | null)[] | null {
  if (text === '{}') return [];
  if (!text.startsWith('{')) return null;
  const items: (string | null)[] = [];
  ITEM.lastIndex = 1;
  for (;;) {
    const at = ITEM.exec(text);
    if (at === null) return null;
    const [, quoted, bare = '', end] = at;
    items.push(quoted?.replace(ESCAPED, '$1') ?? (bare.toUpperCase() === 'NULL' ? null : bare));
    if (end === '}') return ITEM.lastIndex === text.length ? items : null;
  }
}
