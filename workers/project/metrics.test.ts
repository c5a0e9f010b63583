import { expect, it } from 'vitest';
import { countProjected, projectMetrics, setBuildProgress } from './metrics.ts';

async function values(name: string): Promise<string[]> {
  const text = await projectMetrics.metrics();
  return text.split('\n').filter((line) => line.startsWith(`linernotes_${name}`));
}

it('counts documents by outcome and shows the progress of builds', async () => {
  countProjected('artist', { changed: 2, unchanged: 5, removed: 1 }, 0.3);
  countProjected('artist', { changed: 1, unchanged: 0, removed: 0 }, 0.3);
  setBuildProgress('label', { done: 5, total: 20 });
  expect(await values('documents_total')).toEqual([
    'linernotes_documents_total{projection="artist",outcome="changed"} 3',
    'linernotes_documents_total{projection="artist",outcome="unchanged"} 5',
    'linernotes_documents_total{projection="artist",outcome="removed"} 1',
  ]);
  expect(await values('change_to_document_seconds_count')).toEqual([
    'linernotes_change_to_document_seconds_count{projection="artist"} 2',
  ]);
  expect(await values('build_documents')).toEqual([
    'linernotes_build_documents{projection="label",which="done"} 5',
    'linernotes_build_documents{projection="label",which="total"} 20',
  ]);
});
