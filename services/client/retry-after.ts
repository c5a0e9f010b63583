/**
 * Seconds to wait by the Retry-After of a response, a number or a date; null if it is missing or unreadable.
 *
 * @param now milliseconds since 1970
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
