import { MAX_LIST_LENGTH } from '../../../../projections/contracts/columns.ts';
import { parseJson } from '../json.ts';
import {
  isPlaceholder,
  isPlaceholderList,
  type Rejection,
  rejection,
  UNAVAILABLE,
  type ValueDecoder,
} from '../reason.ts';

const NOT_ARRAY = rejection('not_array');
const TOO_MANY_ITEMS = rejection('too_many_items');
const BAD_ITEM = rejection('bad_item');

/** An array of at most 1,000 items without null, or its JSON text. With the placeholder in it, it is unchanged. */
export function listDecoder(decodeItem: ValueDecoder): ValueDecoder {
  return (given) => {
    const value = typeof given === 'string' ? parsedOrText(given) : given;
    if (!Array.isArray(value)) return NOT_ARRAY;
    if (value.length > MAX_LIST_LENGTH) return TOO_MANY_ITEMS;
    if (isPlaceholderList(value)) return UNAVAILABLE;
    let text = '[';
    for (let index = 0; index < value.length; index++) {
      const item = decodeItem(value[index]);
      if (typeof item !== 'string') return rejectItems(value);
      text += index === 0 ? item : `,${item}`;
    }
    return `${text}]`;
  };
}

/** Databases without arrays have lists in columns of JSON, which connectors send as text. */
function parsedOrText(text: string): unknown {
  if (!text.startsWith('[')) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

const rejectItems = (items: readonly unknown[]): Rejection =>
  items.some(isPlaceholder) ? UNAVAILABLE : BAD_ITEM;
