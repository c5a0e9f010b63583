import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomSecret } from '../profile/secrets.ts';

const PERSON_DAYS = 400;
const SHAPE = /^[\w-]{43}$/;

/** The two cookies of this service. Neither is seen by scripts or sent with what other sites ask in the background. */
export interface Cookies {
  /** The secret that tells a person; null where the browser has none. */
  readPerson(request: FastifyRequest): string | null;
  keepPerson(reply: FastifyReply, secret: string): void;
  /** What forms are bound to; undefined where the browser has none. */
  readForm(request: FastifyRequest): string | undefined;
  /** The same, made where there was none. */
  keepForm(request: FastifyRequest, reply: FastifyReply): string;
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
    keepPerson(reply, secret) {
      reply.setCookie(names.person, secret, { ...attributes, maxAge: PERSON_DAYS * 86_400 });
    },
    readForm: (request) => read(request, names.form),
    keepForm(request, reply) {
      const known = read(request, names.form);
      if (known !== undefined) return known;
      const nonce = randomSecret();
      reply.setCookie(names.form, nonce, attributes);
      return nonce;
    },
  };
}
