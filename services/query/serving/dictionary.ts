import { type Dictionary, readDictionary } from '../../../projections/semantics/dictionary.ts';
import { dictionaryMarkdown } from '../../../projections/semantics/markdown.ts';
import type { DictionaryBody } from '../schemas/dictionary.ts';
import { weakEtag } from './etag.ts';

/** The dictionary in its two forms, and the headers of both; all of it for as long as the process runs. */
export interface ServedDictionary {
  readonly asMarkdown: DictionaryBody;
  readonly asEntries: Pick<Dictionary, 'schema_version' | 'generator' | 'entries'>;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function servedDictionary(): ServedDictionary {
  const dictionary = readDictionary();
  const { schema_version, generator, entries, source_sha, vendored_at } = dictionary;
  return {
    asMarkdown: {
      object: 'semantics.dictionary',
      format: 'markdown',
      source: sourceOf(dictionary),
      source_sha,
      vendored_at,
      note: 'What the surfaces mean, as their producers say it. It holds neither formulas nor magnitudes; /api/v2/semantics/dictionary.json has the same by entry.',
      body: dictionaryMarkdown(dictionary),
    },
    asEntries: { schema_version, generator, entries },
    etag: weakEtag(source_sha),
    headers: {
      'x-dictionary-source-sha': source_sha,
      'x-dictionary-vendored-at': vendored_at,
      'cache-control': 'private, max-age=300',
    },
  };
}

function sourceOf({ generator, entries }: Dictionary): string {
  const producers = new Set(Object.values(entries).flatMap(({ producer }) => producer ?? []));
  return `${generator}: ${[...producers].sort().join(', ')}`;
}
