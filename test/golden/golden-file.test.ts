import { expect, it } from 'vitest';
import { problemOf } from './golden-file.ts';

const was = { version: 1, hash: 'a' };
const RUN = 'run UPDATE_GOLDEN=1 npm test -- --project unit test/golden';

it.each([
  ['same output', was, { version: 1, hash: 'a' }, null],
  [
    'changed output',
    was,
    { version: 1, hash: 'b' },
    [`output of \`artist\` changed: raise its version to 2 and ${RUN}`, false],
  ],
  [
    'a raised version',
    was,
    { version: 2, hash: 'b' },
    [`version of \`artist\` was raised to 2: ${RUN}`, true],
  ],
  [
    'a version raised for nothing',
    was,
    { version: 2, hash: 'a' },
    [`version of \`artist\` was raised to 2: ${RUN}`, true],
  ],
  ['a lowered version', { version: 2, hash: 'b' }, was, [expect.stringContaining('fell from 2 to 1'), false]],
  ['a new read model', undefined, was, [`no output of \`artist\` is committed: ${RUN}`, true]],
  ['one that is gone', was, null, [`\`artist\` is no read model any more: ${RUN}`, true]],
] as const)('finds %s', (_name, before, now, expected) => {
  expect(problemOf('artist', before, now)).toEqual(
    expected && { message: expected[0], isUpdatable: expected[1] },
  );
});
