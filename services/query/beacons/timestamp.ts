const DATE_TIME =
  /^(?<day>\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:\d{2})$/;

/** An ISO 8601 date-time with Z or an offset, in milliseconds since 1970; null where it is none. */
export function parseTimestamp(text: string): number | null {
  const { day } = DATE_TIME.exec(text)?.groups ?? {};
  if (day === undefined) return null;
  const at = Date.parse(text);
  // Date.parse takes the 30th of February for the 2nd of March.
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at) || Number.isNaN(midnight)) return null;
  return new Date(midnight).toISOString().startsWith(day) ? at : null;
}
