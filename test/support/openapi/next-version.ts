import type { ApiChange } from './compare-schemas.ts';

/**
 * The version after changes. Changes for clients raise the second number; changes of descriptions raise the third. The
 * first is the version in the paths.
 */
export function nextVersion(version: string, changes: readonly ApiChange[]): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return changes.length > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** The changelog with a new first entry for the changes. */
export function withEntry(changelog: string, version: string, changes: readonly ApiChange[]): string {
  const lines = changes.map(
    ({ kind, text }) => `- ${kind === 'breaking' ? 'Breaking: ' : ''}${escaped(text)}`,
  );
  const entry = `## ${version}\n\n${lines.length === 0 ? '- Descriptions and examples only' : lines.join('\n')}\n\n`;
  const first = changelog.search(/^## /m);
  return first < 0
    ? `${changelog.trimEnd()}\n\n${entry}`
    : changelog.slice(0, first) + entry + changelog.slice(first);
}

/** Names with characters of Markdown as code, without the punctuation after them. */
const escaped = (text: string): string => text.replaceAll(/(\S*[*_[\]<>{}]\S*?)([:,;]?)(?=\s|$)/g, '`$1`$2');
