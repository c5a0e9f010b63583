import { jsonText, parseJsonAsWritten } from '../json.ts';
import { isPlaceholderObject, type Rejection, rejection, UNAVAILABLE } from '../reason.ts';

const NOT_JSON = rejection('not_json');

/**
 * A JSON object or array, or its text. Canonical is compact text with members and numbers as given. Scalars are rejected:
 * their canonical form could not be distinguished from JSON text. The text `null` is null.
 */
export function decodeJson(value: unknown): string | Rejection {
  const parsed = typeof value === 'string' ? parseOrUndefined(value) : value;
  if (parsed === null) return 'null';
  if (typeof parsed !== 'object' || JSON.isRawJSON(parsed)) return NOT_JSON;
  return isPlaceholderObject(parsed) ? UNAVAILABLE : (jsonText(parsed) ?? NOT_JSON);
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseJsonAsWritten(text);
  } catch {
    return undefined;
  }
}
