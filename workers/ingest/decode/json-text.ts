/**
 * Compact JSON text of a parsed value, members in the order given; null where it nests too deep to be written.
 */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return jsonTextWithBigints(value);
  }
}

function jsonTextWithBigints(value: unknown): string | null {
  try {
    return JSON.stringify(value, (_key, member) =>
      typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member,
    );
  } catch {
    return null;
  }
}
