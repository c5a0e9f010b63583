import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { prepareSeal, sealFrame } from '../../projections/engine/frame/frame.ts';
import type { LookupKey, Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import { subjectRef } from '../../projections/engine/projection.ts';
import type { MirrorView } from '../../projections/engine/published/mirror-view.ts';
import type { PublishedIndex } from '../../projections/engine/published/published-index.ts';
import type { MirrorRows, SubjectRef } from '../../projections/engine/rows.ts';
import { documentId } from '../../projections/engine/store/document-id.ts';
import type { ExpectedRow } from '../support/projections/oracle.ts';

/** A document, or an entry of a published index, as clients get it. */
export interface Output {
  readonly key: string;
  readonly text: string;
  readonly hash: string;
  readonly lookupKeys: readonly LookupKey[];
}

export interface GoldenCorpus {
  readonly subjects: readonly SubjectRef[];
  readonly mirror: MirrorRows;
}

/** Numbers that do not depend on which other sources there are. */
const registry: SourceRegistry = {
  idOf: ({ table }) => createHash('sha256').update(table).digest().readUInt16LE(),
};

/** Half of the sources are stale, so that the text shows which source sets which flag. */
const seal = prepareSeal('2019-06-30T12:00:00Z', (sourceId) => sourceId % 2 === 1);

const GZIP = 0x1f;
const textOf = (body: Buffer): string =>
  (body[0] === GZIP ? gunzipSync(sealFrame(body, seal)) : body).toString();

/** All documents that a read model makes of the corpus, in the order of their keys. */
export async function goldenDocuments(
  { keys, project }: Projection,
  { subjects, mirror }: GoldenCorpus,
): Promise<Output[]> {
  const own = subjects.filter((subject) => keys.some((kind) => subject.startsWith(`${kind}:`))).sort();
  const projected = await project(own, async () => mirror, registry);
  return projected.flatMap(({ key, document }) => {
    if (document === null) return [];
    const { hash, lookupKeys } = document;
    return [{ key, text: textOf(document.body()), hash: hash.toString('hex'), lookupKeys }];
  });
}

/** All entries that an index has on the day, in their order. @param artists documents of `artist` */
export async function entriesOf(
  index: PublishedIndex,
  { subjects, mirror }: GoldenCorpus,
  { artists, day }: { readonly artists: readonly Output[]; readonly day: string },
): Promise<Output[]> {
  const owners = slugOwners(artists);
  const view: MirrorView = {
    readRows: async () => mirror,
    async *subjects(source) {
      const { kind } = source.subject;
      const about = subjects.filter(
        (subject) => subject.startsWith(`${kind}:`) && mirror.all(source, subject).length > 0,
      );
      yield about.map((subject) => subject.slice(kind.length + 1)).sort();
    },
    slugOwners: async (slugs) =>
      new Map(slugs.flatMap((slug) => (owners.has(slug) ? [[slug, owners.get(slug) ?? '']] : []))),
  };
  const entries = await index.compute(view, day);
  return entries.map(({ list, key, body }) => ({
    key: subjectRef('artist', `${list}:${key}`),
    text: JSON.stringify(body),
    hash: '',
    lookupKeys: [],
  }));
}

/** The artist of each slug: the lowest rank, the greatest support, then the least id of a document. */
function slugOwners(artists: readonly Output[]): Map<string, string> {
  const candidates = artists.flatMap(({ key, lookupKeys }) =>
    lookupKeys.map((lookupKey) => ({ ...lookupKey, key, id: documentId(key).toString('hex') })),
  );
  candidates.sort((a, b) => b.rank - a.rank || a.support - b.support || (a.id < b.id ? 1 : -1));
  return new Map(candidates.map(({ value, key }) => [value, key]));
}

export function outputHash(outputs: readonly Output[]): string {
  const hash = createHash('sha256');
  for (const { key, text, hash: stored, lookupKeys } of outputs) {
    hash.update(`${key}\n${text}\n${stored}\n`);
    for (const { rank, support, value } of lookupKeys) hash.update(`${rank} ${support} ${value}\n`);
  }
  return hash.digest('hex').slice(0, 32);
}

export function corpusHash(rows: readonly ExpectedRow[]): string {
  const hash = createHash('sha256');
  for (const { source, row, changedAt } of rows)
    hash.update(`${source.table} ${JSON.stringify(row)} ${changedAt}\n`);
  return hash.digest('hex').slice(0, 32);
}
