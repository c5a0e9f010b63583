import { SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { beaconTokens } from './tokens.ts';

const SECRET = 'a secret of thirty-two bytes or more';
const EVENT = '0f0e0d0c-0b0a-4908-8706-050403020100';
const START = Date.UTC(2026, 0, 31, 12, 0, 0, 400);
const MINUTE = 60_000;

let now = START;
const tokens = beaconTokens({ secret: SECRET, now: () => now });
beforeEach(() => {
  now = START;
});

/** A valid token, except for the changes. */
function signed(change: (token: SignJWT) => SignJWT, secret = SECRET, alg = 'HS256'): Promise<string> {
  const seconds = Math.floor(START / 1000);
  const token = new SignJWT()
    .setProtectedHeader({ alg })
    .setSubject(EVENT)
    .setAudience('search-events')
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 900);
  return change(token).sign(Buffer.from(secret));
}
const same = (token: SignJWT): SignJWT => token;

describe('a token', () => {
  it('is valid for its event in every process with the secret', async () => {
    const { token } = await tokens.issue(EVENT);
    expect(await beaconTokens({ secret: SECRET, now: () => now }).verify(token)).toBe(EVENT);
    expect(await tokens.verify(await signed(same))).toBe(EVENT);
  });

  it('is valid for 15 minutes, which it states', async () => {
    const { token, expiresAt } = await tokens.issue(EVENT);
    expect(expiresAt).toEqual(new Date('2026-01-31T12:15:00.000Z'));
    now = expiresAt.getTime() - 1;
    expect(await tokens.verify(token)).toBe(EVENT);
    now = expiresAt.getTime();
    expect(await tokens.verify(token)).toBeNull();
    now = START + 24 * 60 * MINUTE;
    expect(await tokens.verify(token)).toBeNull();
  });
});

describe('other tokens are invalid', () => {
  it('with another secret, another algorithm or none', async () => {
    expect(await tokens.verify(await signed(same, `${SECRET}!`))).toBeNull();
    expect(await tokens.verify(await signed(same, SECRET.repeat(2), 'HS512'))).toBeNull();
    expect(
      await beaconTokens({ secret: SECRET.repeat(2), now: () => now }).verify(
        await signed(same, SECRET.repeat(2), 'HS512'),
      ),
    ).toBeNull();
    const unsecured = new UnsecuredJWT({ sub: EVENT })
      .setAudience('search-events')
      .setIssuedAt(START / 1000)
      .setExpirationTime(START / 1000 + 900)
      .encode();
    expect(await tokens.verify(unsecured)).toBeNull();
    const [, claims] = (await signed(same)).split('.');
    for (const alg of ['none', 'None', 'HS256']) {
      const header = Buffer.from(JSON.stringify({ alg })).toString('base64url');
      expect(await tokens.verify(`${header}.${claims}.`)).toBeNull();
    }
  });

  it('for another purpose or without expiry', async () => {
    expect(await tokens.verify(await signed((token) => token.setAudience('taste')))).toBeNull();
    const endless = new SignJWT({ sub: EVENT, aud: 'search-events', iat: START / 1000 }).setProtectedHeader({
      alg: 'HS256',
    });
    expect(await tokens.verify(await endless.sign(Buffer.from(SECRET)))).toBeNull();
    const ofNothing = new SignJWT({ aud: 'search-events', iat: 1, exp: 4e9 }).setProtectedHeader({
      alg: 'HS256',
    });
    expect(await tokens.verify(await ofNothing.sign(Buffer.from(SECRET)))).toBeNull();
  });

  it('that were changed or are malformed', async () => {
    const [header, , signature] = (await signed(same)).split('.');
    const claims = Buffer.from(JSON.stringify({ sub: 'other', aud: 'search-events', iat: 1, exp: 4e9 }));
    for (const forged of [
      `${header}.${claims.toString('base64url')}.${signature}`,
      '',
      'x',
      '..',
      'a.b.c',
      `${header}..${signature}`,
      'e30.e30.e30',
    ])
      expect(await tokens.verify(forged)).toBeNull();
  });
});
