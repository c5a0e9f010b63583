import { MAX_LIST_LENGTH } from '../../../../projections/sources/columns.ts';
import { type Refusal, refusal, type ValueDecoder } from '../reason.ts';
import { isPlaceholder, isPlaceholderList, UNAVAILABLE } from '../unavailable.ts';

const NOT_ARRAY = refusal('not_array');
const TOO_MANY_ITEMS = refusal('too_many_items');
const BAD_ITEM = refusal('bad_item');

/** An array of at most 1,000 items, none of them null. One that holds the placeholder did not change. */
export function listDecoder(decodeItem: ValueDecoder): ValueDecoder {
  return (value) => {
    if (!Array.isArray(value)) return NOT_ARRAY;
    if (value.length > MAX_LIST_LENGTH) return TOO_MANY_ITEMS;
    if (isPlaceholderList(value)) return UNAVAILABLE;
    let text = '[';
    for (let index = 0; index < value.length; index++) {
      const item = decodeItem(value[index]);
      if (typeof item !== 'string') return refuseItems(value);
      text += index === 0 ? item : `,${item}`;
    }
    return `${text}]`;
  };
}

const refuseItems = (items: readonly unknown[]): Refusal =>
  items.some(isPlaceholder) ? UNAVAILABLE : BAD_ITEM;
