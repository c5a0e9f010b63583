import { isOwn } from '../../projections/engine/store/code-version.ts';
import { type VersionDetails, versionDetails } from '../../projections/engine/store/version-details.ts';
import { projectionByName } from '../../projections/index.ts';
import type { VersionComparison } from '../../workers/project/build/compare-versions.ts';
import { type AddCommand, wholeNumber } from './command.ts';
import { withPool } from './database.ts';
import { printReport } from './print-report.ts';
import { printTable } from './print-table.ts';

const COLUMNS = [
  'id',
  'projection',
  'state',
  'code',
  'built',
  'behind',
  'createdAt',
  'readyAt',
  'promotedAt',
  'replacedAt',
] as const;

/** A version as a row of the list. */
const listed = (version: VersionDetails) => ({
  ...version,
  state: version.pausedAt !== null && version.state === 'building' ? 'building, paused' : version.state,
  code: isOwn(version, projectionByName.get(version.projection)) ? 'this' : 'other',
  built: version.planned === null ? null : `${version.planned - version.left}/${version.planned}`,
});

export const addVersions: AddCommand = (program, print) => {
  const group = program
    .command('versions')
    .description('The versions of projections, the stored forms of read models.');
  group
    .command('list')
    .description(
      'List all versions. Column code: this (projectors of this release keep it current) or other (only those of the release that built it do). Column built: documents projected of those planned; behind: dirty documents.',
    )
    .action(async () =>
      printTable(print, COLUMNS, (await withPool((pool) => versionDetails(pool))).map(listed)),
    );
  group
    .command('show')
    .description('Show a version, and how it differs from the version it was compared with.')
    .argument('<id>', 'version', wholeNumber(0, 999_999_999))
    .action(async (id) => {
      const [version] = await withPool((pool) => versionDetails(pool, id));
      if (version === undefined) throw new Error(`there is no version ${id}; see: versions list`);
      printTable(print, COLUMNS, [listed(version)]);
      if (version.report === null) print('compared with no other version');
      else printReport(print, version.id, version.report as VersionComparison);
    });
};
