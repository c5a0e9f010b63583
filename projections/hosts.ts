/** The third-party hosts that links are made for, by neutral name. Another mirror is set by the environment. */
export const hosts = {
  coverarchive: hostFrom(process.env.COVERARCHIVE_URL, 'https://coverartarchive.org'),
} as const;

/** Servers of storefronts, audio-sharing and streaming sites that serve audio, not pages. */
export const mediaHosts: readonly RegExp[] = [
  /^[a-z]+\d+\.bcbits\.com\.?$/,
  /^popplers\d*\.bandcamp\.com\.?$/,
  /(?:^|\.)sndcdn\.com\.?$/,
  /(?:^|\.)scdn\.co\.?$/,
];

function hostFrom(configured: string | undefined, fallback: string): string {
  return (configured || fallback).replace(/\/+$/, '');
}
