import type { VersionComparison } from '../../workers/project/build/compare-versions.ts';
import type { Print } from './command.ts';

const count = (documents: number): string => documents.toLocaleString('en-US');

/** Prints how a version differs from the version it was compared with. */
export function printReport(print: Print, version: number, report: VersionComparison): void {
  const { against, equal, changed, added, gone, moving, examined, fields, addedKeys, goneKeys } = report;
  print(
    `version ${version} against ${against}: ${count(equal)} equal, ${count(changed)} changed, ` +
      `${count(added)} added, ${count(gone)} gone${moving > 0 ? `, ${count(moving)} moving` : ''}`,
  );
  if (fields.length > 0) print(`fields that differ in ${count(examined)} of the changed documents:`);
  for (const { path, documents, samples } of fields) {
    print(`  ${path}  ${count(documents)}`);
    for (const { key, path: at, before, after } of samples) {
      print(`    ${key} ${at}: ${before ?? 'nothing'} -> ${after ?? 'nothing'}`);
    }
  }
  if (addedKeys.length > 0) print(`added: ${addedKeys.join(' ')}${added > addedKeys.length ? ' …' : ''}`);
  if (goneKeys.length > 0) print(`gone: ${goneKeys.join(' ')}${gone > goneKeys.length ? ' …' : ''}`);
}
