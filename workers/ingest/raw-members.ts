/**
 * The members of a JSON object as the text they are written in, so that a value can be handed on without being
 * parsed and written again, which would cost integers beyond 2^53 their last digits.
 *
 * @param text one JSON object; anything else gives no members
 */
export function rawMembers(text: string): Record<string, string> {
  const members: Record<string, string> = {};
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return members;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = endOfValue(text, at);
    const colon = skipSpace(text, nameEnd);
    const start = skipSpace(text, colon + 1);
    const end = endOfValue(text, start);
    if (text[colon] !== ':' || end === start) return members;
    members[JSON.parse(text.slice(at, nameEnd))] = text.slice(start, end);
    at = skipSpace(text, end);
    if (text[at] !== ',') return members;
    at = skipSpace(text, at + 1);
  }
  return members;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++;
  return at;
}

/** Where the value that starts at `from` ends. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth < 0 || (depth === 0 && character === ',')) return at;
    if (depth === 0 && (character === '"' || character === '}' || character === ']')) return at + 1;
    if (depth === 0 && (character === ' ' || character === ':')) return at;
  }
  return at;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
