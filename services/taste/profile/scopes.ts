/** What every token is good for. */
export const SCOPES: readonly string[] = ['profile:read'];
