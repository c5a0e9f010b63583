/** The third-party hosts that links are made for, by neutral name. Another mirror is set by the environment. */
export const hosts = {
  coverarchive: hostFrom(process.env.COVERARCHIVE_URL, 'https://coverartarchive.org'),
} as const;

/** The storefront's media servers, a letter and a number as in t4: what they serve is audio, not a page. */
export const storefrontMedia = /^[a-z]+\d+\.bcbits\.com\.?$/;

function hostFrom(configured: string | undefined, fallback: string): string {
  return (configured || fallback).replace(/\/+$/, '');
}
