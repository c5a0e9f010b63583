import { type Static, Type } from '@sinclair/typebox';
import { DictionaryEntry, SCHEMA_VERSION } from '../../../projections/semantics/dictionary.ts';

export const DictionaryBody = Type.Object({
  object: Type.Literal('semantics.dictionary'),
  format: Type.Literal('markdown'),
  source: Type.String({ description: 'Where the entries come from.' }),
  source_sha: Type.String({
    description: 'SHA-256 of what they were compiled from; another where they are.',
  }),
  vendored_at: Type.String({ format: 'date', description: 'Day on which they were compiled.' }),
  note: Type.String(),
  body: Type.String({ description: 'The dictionary as Markdown.' }),
});
export type DictionaryBody = Static<typeof DictionaryBody>;

export const DictionaryEntriesBody = Type.Object({
  schema_version: Type.Literal(SCHEMA_VERSION, {
    description: 'Entries and fields are only added within a version.',
  }),
  generator: Type.String(),
  entries: Type.Record(Type.String(), DictionaryEntry, { description: 'By name.' }),
});
