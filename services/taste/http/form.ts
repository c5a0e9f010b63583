import type { FastifyRequest } from 'fastify';

export const FORM_LIMIT_BYTES = 16_384;

/** Keeps every value of a repeated field, so that its reader can reject it. */
export const parseForm = (text: string): Record<string, unknown> => ({ form: new URLSearchParams(text) });

/** The fields of the sent form; none without a form. */
export function readForm({ body }: FastifyRequest): URLSearchParams {
  const { form } = (body ?? {}) as { form?: unknown };
  return form instanceof URLSearchParams ? form : new URLSearchParams();
}

/**
 * Whether a page of this service sent the form. Browsers name the origin with every form; its pages have a referrer policy
 * under which it is not `null`.
 *
 * @param origin of the service in browsers; null for the host that the request was sent to, by HTTP or HTTPS, because only
 * a configured service knows of TLS in front of it
 */
export function isOwnForm({ headers, host }: FastifyRequest, origin: string | null): boolean {
  if (origin !== null) return headers.origin === origin;
  const sender = URL.parse(headers.origin ?? '');
  return sender !== null && sender.host === URL.parse(`${sender.protocol}//${host}`)?.host;
}
