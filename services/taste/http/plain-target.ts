import { originForm } from '../../http/request-head.ts';

/** Escapes of characters that mean the same without: letters, digits, and `-._~`. */
const NEEDLESS = /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/gi;

/**
 * A target of a request as its route is written. One that names a host as well, as proxies are asked, is the path it stands
 * for, and what is escaped needlessly is not. The router reads targets so in any case; what else depends on the path,
 * such as who may keep or read the answer, must not read another one.
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
