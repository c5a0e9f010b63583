import type { Change } from './compare-schemas.ts';

/**
 * The version after changes: the second number rises where there is anything new for clients, else the third, for
 * words. The first is the major version of the path, and stays.
 */
export function nextVersion(version: string, changes: readonly Change[]): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return changes.length > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** The changelog with an entry of the changes before the others. */
export function withEntry(changelog: string, version: string, changes: readonly Change[]): string {
  const lines = changes.map(
    ({ kind, text }) => `- ${kind === 'breaking' ? 'Breaking: ' : ''}${escaped(text)}`,
  );
  const entry = `## ${version}\n\n${lines.length === 0 ? '- Descriptions and examples only' : lines.join('\n')}\n\n`;
  const first = changelog.search(/^## /m);
  return first < 0
    ? `${changelog.trimEnd()}\n\n${entry}`
    : changelog.slice(0, first) + entry + changelog.slice(first);
}

/** So that an asterisk or an underscore in a name emphasises nothing. */
const escaped = (text: string): string => text.replaceAll(/\S*[*_[\]<>{}]\S*/g, (word) => `\`${word}\``);
