/** Version 1 of the API, which another process still serves. */
export interface V1Settings {
  /** Base URL without a trailing slash. Its paths begin with /api/v1 as well. */
  readonly upstreamUrl: string;
  readonly deprecatedAt: Date;
  readonly sunsetAt: Date;
  /** For the whole response; less than the deadline of every request. */
  readonly deadlineMs?: number;
}

export const MIGRATION_PATH = '/docs/migration/v1-to-v2';

/** Headers that announce the end of v1: RFC 9745, RFC 8594 and RFC 8288. */
export function deprecationHeaders(
  { deprecatedAt, sunsetAt }: V1Settings,
  baseUrl: string,
): { deprecation: string; sunset: string; link: string } {
  const guide = `<${baseUrl}${MIGRATION_PATH}>`;
  return {
    deprecation: `@${Math.floor(deprecatedAt.getTime() / 1_000)}`,
    sunset: sunsetAt.toUTCString(),
    link: [
      `${guide}; rel="deprecation"; type="text/html"`,
      `${guide}; rel="sunset"; type="text/html"`,
      `<${baseUrl}/api/v2>; rel="successor-version"`,
    ].join(', '),
  };
}
