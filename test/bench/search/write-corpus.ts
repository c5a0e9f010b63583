import { copyRows } from '../../../db/copy-binary.ts';
import { plainDocument } from '../../../projections/engine/plain-document.ts';
import { subjectRef } from '../../../projections/engine/projection.ts';
import { documentId } from '../../../projections/engine/store/document-id.ts';
import { documentTable } from '../../../projections/engine/store/version.ts';
import { searchProjection } from '../../../projections/models/search/project.ts';
import { rebuild } from '../../support/projections/rebuild.ts';
import type { BenchDatabase } from '../database.ts';
import { type Corpus, releaseGroup } from './corpus.ts';

/** Rows of one COPY. */
const CHUNK = 25_000;

/** Writes the documents of the search as a rebuild from as many producer rows would leave them. */
export async function writeCorpus({ pool, registry }: BenchDatabase, corpus: Corpus): Promise<void> {
  const table = documentTable(await rebuild(pool, searchProjection, registry));
  // A build notes no changes either.
  await pool.query(`alter table ${table} disable trigger user`);
  const client = await pool.connect();
  try {
    for (let from = 0; from < corpus.releaseGroups; from += CHUNK) {
      const to = Math.min(from + CHUNK, corpus.releaseGroups);
      await copyRows(client, `${table} (id, key, hash, body)`, documents(corpus, from, to));
    }
  } finally {
    client.release();
  }
  await pool.query(`alter table ${table} enable trigger user`);
  await pool.query(`vacuum analyze ${table}`);
}

function* documents(corpus: Corpus, from: number, to: number): Iterable<[Buffer, string, Buffer, Buffer]> {
  for (let number = from; number < to; number++) {
    const found = releaseGroup(corpus, number);
    const document = plainDocument(found, []);
    const key = subjectRef('master', found.row.master_id);
    yield [documentId(key), key, document.hash, document.body()];
  }
}
