import type { FastifyRequest } from 'fastify';

export const FORM_LIMIT_BYTES = 16_384;

/** Keeps every value of a field that is there twice, so that none is chosen by chance. */
export const parseForm = (text: string): Record<string, unknown> => ({ form: new URLSearchParams(text) });

/** The fields of a form that was sent; none where nothing was. */
export function readForm({ body }: FastifyRequest): URLSearchParams {
  const { form } = (body ?? {}) as { form?: unknown };
  return form instanceof URLSearchParams ? form : new URLSearchParams();
}

/**
 * Whether a browser says that another site sends the form. It does not say where from: the page lets no referrer out,
 * and so the origin of its forms is `null`.
 */
export const isFromElsewhere = ({ headers }: FastifyRequest): boolean => {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
};
