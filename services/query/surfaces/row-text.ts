import type { SurfaceSource } from '../../../projections/contracts/surfaces.ts';
import { servedName } from '../../../projections/contracts/surfaces.ts';
import { areFewWishes } from '../../../projections/engine/values.ts';

/**
 * Makes a function that converts the stored text of a row into the served text: exactly the columns of the contract in
 * their order, null if missing. Values stay text, so numbers keep all digits. Few wishes are served as 0, and columns that
 * would reveal them as null.
 */
export function rowWriter(source: SurfaceSource): (stored: string) => string {
  const { wishes = [], revealsWishes = [] } = source.surface;
  const columns = Object.keys(source.columns).map((name, index) => ({
    name,
    head: `${index === 0 ? '{' : ','}${JSON.stringify(servedName(source, name))}:`,
  }));
  return (stored) => {
    const members = membersOf(stored);
    const few = wishes.filter((name) => areFew(members.get(name) ?? 'null'));
    for (const name of few) members.set(name, '0');
    if (few.length > 0) for (const name of revealsWishes) members.delete(name);
    let text = '';
    for (const { name, head } of columns) text += head + (members.get(name) ?? 'null');
    return `${text}}`;
  };
}

const areFew = (wishes: string): boolean => wishes !== 'null' && areFewWishes(Number(wishes));

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** The members of a JSON object in compact text, their values as text; names are not unescaped. */
export function membersOf(object: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = 1;
  while (object.charCodeAt(at) === QUOTE) {
    const colon = afterString(object, at);
    const end = afterValue(object, colon + 1);
    members.set(object.slice(at + 1, colon - 1), object.slice(colon + 1, end));
    at = end + 1;
  }
  return members;
}

/** Index of the comma or brace that ends the value. */
function afterValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (OPENING.has(code)) depth++;
    else if (depth === 0 && (code === COMMA || CLOSING.has(code))) return at;
    else if (CLOSING.has(code)) depth--;
  }
  return text.length;
}

/** Index after the quote that ends the string. */
function afterString(text: string, opening: number): number {
  let quote = opening;
  do quote = text.indexOf('"', quote + 1);
  while (quote !== -1 && isEscaped(text, quote));
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
