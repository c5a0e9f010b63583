import { jsonText } from '../json-text.ts';
import { parseJsonAsWritten } from '../parse-json.ts';
import { type Refusal, refusal } from '../reason.ts';
import { isPlaceholderObject, UNAVAILABLE } from '../unavailable.ts';

const NOT_JSON = refusal('not_json');

/**
 * A JSON object or array, or the text of one; canonical is compact text, members and numbers as they came. A scalar is
 * refused: written canonically, it could not be told from JSON text again. The text `null` is null.
 */
export function decodeJson(value: unknown): string | Refusal {
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
