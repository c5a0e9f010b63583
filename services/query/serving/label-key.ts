import { ApiError } from '../errors.ts';
import { type EntityKey, parseEntityKey } from './entity-key.ts';

/**
 * @param param name of the path parameter, for a refusal
 * @throws ApiError `invalid_label_key`
 */
export function parseLabelKey(text: string, param: string): EntityKey {
  const key = parseEntityKey(text);
  if (key === null) throw new ApiError('invalid_label_key', { param });
  return key;
}
