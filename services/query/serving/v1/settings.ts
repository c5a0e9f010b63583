/** The first version of the API, as another process still serves it. */
export interface V1Settings {
  /** Where it is served, without a slash at the end. Its paths begin with /api/v1 there too. */
  readonly upstreamUrl: string;
  /** From when on it is deprecated. */
  readonly deprecatedAt: Date;
  /** When it ends. */
  readonly sunsetAt: Date;
  /** For the whole answer; less than the deadline of every request. */
  readonly deadlineMs?: number;
}

export const MIGRATION_PATH = '/docs/migration/v1-to-v2';

/** What an answer of v1 says of its end: RFC 9745, RFC 8594 and RFC 8288. */
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
