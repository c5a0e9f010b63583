import { originForm } from '../../http/request-head.ts';

/** Escapes of characters that mean the same without: letters, digits, and `-._~`. */
const NEEDLESS = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;

/**
 * A request target in the form of its route: an absolute target, as sent to proxies, becomes its path,
 * and needless escapes are decoded. The router reads targets in this form anyway; other users of the path,
 * such as caching and CORS rules, must read the same one.
 */
export function plainTarget(target: string): string {
  const own = target.startsWith('/') ? target : originForm(target);
  const path = pathOf(own);
  const plain = path.replaceAll(NEEDLESS, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  );
  return plain + own.slice(path.length);
}

/** The path of a target. */
export const pathOf = (target: string): string => target.split(/[?#]/, 1)[0] ?? '';
