import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomSecret } from '../profile/secrets.ts';

const PERSON_DAYS = 400;
const SHAPE = /^[\w-]{43}$/;

/** The two cookies of this service, hidden from scripts and from background requests of other sites. */
export interface Cookies {
  /** The secret that identifies a person; null if the browser has none. */
  readPerson(request: FastifyRequest): string | null;
  setPersonCookie(reply: FastifyReply, secret: string): void;
  /** The nonce that forms are bound to; undefined if the browser has none. */
  readForm(request: FastifyRequest): string | undefined;
  /** The same, created if missing. */
  ensureFormCookie(request: FastifyRequest, reply: FastifyReply): string;
}

/** @param isSecure whether browsers reach the service by HTTPS, so that no other host of the domain can set its cookies */
export function cookiesOf(isSecure: boolean): Cookies {
  const prefix = isSecure ? '__Host-' : '';
  const names = { person: `${prefix}taste_person`, form: `${prefix}taste_form` };
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
  const read = (request: FastifyRequest, name: string): string | undefined => {
    const value = request.cookies[name];
    return value !== undefined && SHAPE.test(value) ? value : undefined;
  };
  return {
    readPerson: (request) => read(request, names.person) ?? null,
    setPersonCookie(reply, secret) {
      reply.setCookie(names.person, secret, { ...attributes, maxAge: PERSON_DAYS * 86_400 });
    },
    readForm: (request) => read(request, names.form),
    ensureFormCookie(request, reply) {
      const known = read(request, names.form);
      if (known !== undefined) return known;
      const nonce = randomSecret();
      reply.setCookie(names.form, nonce, attributes);
      return nonce;
    },
  };
}
