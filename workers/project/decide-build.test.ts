import { expect, it } from 'vitest';
import { type DecidedVersion, decideBuild, type RebuildMode } from './decide-build.ts';

const version = (
  state: DecidedVersion['state'],
  codeVersion: 'own' | 'other',
  promoteWhenReady = false,
): DecidedVersion => ({ id: 7, projection: 'label', state, codeVersion, promoteWhenReady });

const live = version('live', 'other');

it.each<[string, DecidedVersion[], RebuildMode, object]>([
  ['nothing at all', [], 'off', { step: 'build', promote: true }],
  ['a first build that broke off', [version('building', 'own')], 'build', { step: 'build', promote: true }],
  ['documents of this code', [version('live', 'own')], 'promote', { step: 'none' }],
  [
    'a rebuild by an operator',
    [version('live', 'own'), version('building', 'own')],
    'promote',
    { step: 'none' },
  ],
  ['documents of other code', [live], 'promote', { step: 'build', promote: true }],
  ['documents of other code', [live], 'build', { step: 'build', promote: false }],
  ['a running build', [live, version('building', 'own')], 'promote', { step: 'build', promote: true }],
  [
    'a build of yet other code',
    [live, version('building', 'other')],
    'promote',
    { step: 'build', promote: true },
  ],
  [
    'what was built to be promoted',
    [live, version('ready', 'own', true)],
    'promote',
    { step: 'build', promote: true },
  ],
])('continues from %s (%j, %s)', (_name, versions, mode, expected) => {
  expect(decideBuild(versions, 'own', mode)).toEqual(expected);
});

it.each<[string, DecidedVersion[], RebuildMode, string]>([
  ['a rollback', [live, version('previous', 'own')], 'promote', 'rolled back'],
  ['a version to be looked at', [live, version('ready', 'own')], 'promote', 'promote label'],
  ['a version to be looked at', [live, version('ready', 'own', true)], 'build', 'promote label'],
  ['the mode off', [live], 'off', 'rebuild label --promote'],
])('leaves it to an operator after %s (%j, %s)', (_name, versions, mode, why) => {
  expect(decideBuild(versions, 'own', mode)).toEqual({
    step: 'leave',
    why: expect.stringContaining(why),
  });
});
