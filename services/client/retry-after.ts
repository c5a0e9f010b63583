/**
 * Seconds that an answer asks to wait, as a number or as a date; null where it does not say, or not so that it can be read.
 *
 * @param now milliseconds since 1970
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
