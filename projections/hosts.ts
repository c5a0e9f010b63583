/** The third-party hosts that links are made for, by neutral name. Another mirror is set by the environment. */
export const hosts = {
  coverarchive: hostFrom(process.env.COVERARCHIVE_URL, 'https://coverartarchive.org'),
} as const;

function hostFrom(configured: string | undefined, fallback: string): string {
  return (configured || fallback).replace(/\/+$/, '');
}
