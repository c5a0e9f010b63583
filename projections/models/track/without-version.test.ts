import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withoutVersion } from './without-version.ts';

const REPETITION = /[*+]|\{\d+,\}/;
const INNERMOST_GROUP = /\((?:\?(?:[:=!]|<[=!]))?([^()]*)\)([*+]|\{\d+,\})?/;

/** Whether a pattern repeats a group that repeats something itself: only then can it take exponential time. */
function nestsRepetitions(source: string): boolean {
  let rest = source.replace(/\\(?:[pP]\{[^}]*\}|u[\da-f]{4}|.)/gi, 'x').replace(/\[[^\]]*\]/g, 'x');
  for (let group = INNERMOST_GROUP.exec(rest); group !== null; group = INNERMOST_GROUP.exec(rest)) {
    const [text, inner = '', repetition] = group;
    const repeats = REPETITION.test(inner);
    if (repeats && repetition !== undefined) return true;
    rest = rest.replace(text, () => (repeats || repetition !== undefined ? 'x+' : 'x'));
  }
  return false;
}

it.each([
  ['(?:a+)+$', true],
  ['(?:x|(?:\\s*b)*)+', true],
  ['(?:a|b+)*', true],
  ['(?:[+*]|\\+)*c+', false],
  ['\\s(?:feat|ft)(?:\\.\\s*|\\s)', false],
])('a nested repetition is found in a pattern: %s', (source, expected) => {
  expect(nestsRepetitions(source)).toBe(expected);
});

describe('a title', () => {
  it.each([
    ['Xtal (Original Mix)', 'Xtal'],
    ['Xtal [Original Mix]', 'Xtal'],
    ['Xtal - Original Mix', 'Xtal'],
    ['Xtal – Extended Mix', 'Xtal'],
    ['Xtal Original Mix', 'Xtal'],
    ['Xtal (Extended Mix)', 'Xtal'],
    ['Xtal (Radio Edit)', 'Xtal'],
    ['Xtal - Radio Edit', 'Xtal'],
    ['Xtal Radio Edit', 'Xtal'],
    ['Xtal (RADIO EDIT)', 'Xtal'],
    ['Xtal (Remastered)', 'Xtal'],
    ['Xtal (Remastered 2011)', 'Xtal'],
    ['Xtal (2011 Remaster)', 'Xtal'],
    ['Xtal (2011 Digital Remaster)', 'Xtal'],
    ['Xtal - Remastered 2011', 'Xtal'],
    ['Xtal - 2011 Remastered Version', 'Xtal'],
    ['Xtal Remastered 2011', 'Xtal'],
    ['Xtal 2011 Remaster', 'Xtal'],
    ['Xtal feat. Somebody', 'Xtal'],
    ['Xtal ft. Somebody', 'Xtal'],
    ['Xtal ft Somebody', 'Xtal'],
    ['Xtal feat.Somebody', 'Xtal'],
    ['Xtal featuring Somebody & Another', 'Xtal'],
    ['Xtal (feat. Somebody)', 'Xtal'],
    ['Xtal [ft. Somebody]', 'Xtal'],
    ['Xtal (Somebody Remix)', 'Xtal'],
    ["Xtal (Somebody's Deep Dub)", 'Xtal'],
    ['Xtal (Somebody (of Them) Remix)', 'Xtal'],
    ['Xtal (feat. Somebody) (Another Remix) [2011 Remaster]', 'Xtal'],
    ['Xtal feat. Somebody (Another Remix)', 'Xtal'],
    ['Xtal feat. Somebody - Another Remix', 'Xtal'],
    ['Xtal - Another Remix - Radio Edit', 'Xtal'],
    ['Xtal (Live) (Original Mix)', 'Xtal (Live)'],
    ['Xtal feat. Somebody (Live)', 'Xtal (Live)'],
    ['Part One (feat. Somebody) Part Two', 'Part One  Part Two'],
    ['Something In The Way Remix', 'Something In The Way'],
    ['Xtal RMX', 'Xtal'],
    ['Xtal Club Remix', 'Xtal'],
    ['Ignition (Remix)', 'Ignition'],
    ['Ignition Remix', 'Ignition'],
    ['Xtal (Original)', 'Xtal'],
    ['Xtal (Extended)', 'Xtal'],
    ['Xtal - Extended', 'Xtal'],
    ['Xtal {Original Mix}', 'Xtal'],
    ['Xtal【Original Mix】', 'Xtal'],
    ['Xtal（Original Mix）', 'Xtal'],
    ['Xtal （Ｒｅｍｉｘ）', 'Xtal'],
    ['Xtal\u00a0(Remix)', 'Xtal'],
    ['Xtal (Original Mix', 'Xtal'],
    ['Xtal [feat. Somebody', 'Xtal'],
    ['Xtal (feat. Somebody (of Them)', 'Xtal'],
    ['Xtal (Remix by Joe)', 'Xtal'],
    ['Xtal (Remixed by Joe)', 'Xtal'],
    ['Xtal - Club Mix by Joe', 'Xtal'],
    ['Xtal (feat: Somebody)', 'Xtal'],
    ['Xtal w/ Bob', 'Xtal'],
    ['Xtal W/Bob', 'Xtal'],
    ['Xtal (w/ Bob)', 'Xtal'],
    ['Xtal (w/ Omar)', 'Xtal'],
    ['Ｘｔａｌ (Live) (Remix)', 'Xtal (Live)'],
  ])('%j without its version is %j', (title, base) => {
    expect(withoutVersion(title)).toBe(base);
  });

  it.each([
    'Xtal',
    'Xtal (Live)',
    'Xtal (Acoustic)',
    'Xtal - Live at Somewhere',
    'Remix',
    '(Remix)',
    'Original Mix',
    'Mix Tape',
    'In the Mix',
    'Remastered',
    'Left',
    'Feat of Strength',
    '(I Can’t Get No) Satisfaction',
    'Xtal (Live',
    'Xtal (',
    'The Remix',
    'In the Remix',
    'This Is a Remix',
    'Remix by Joe',
    '(Original Mix',
    'Original',
    '(Extended)',
    'The Original',
    'Xtal Extended',
    'Xtal (Original Sin)',
    'Stand (By Me)',
    'Dancing w/ Myself',
    'Dancing w/o You',
    'Left w/ the Dog',
    'w/ Bob',
    'Megamix',
    '½ (Live)',
    'Xtal Original Mix)',
    ')(',
    '1999',
    '-',
    ' - ',
    '',
  ])('%j stays unchanged', (title) => {
    expect(withoutVersion(title)).toBe(title);
  });

  it('is read in few passes, by patterns with bounded time, for any repetition', () => {
    let inspected = 0;
    const patterns = new Set<string>();
    const { exec } = RegExp.prototype;
    const spy = vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text) {
      inspected += text.length;
      patterns.add(this.source);
      return exec.call(this, text);
    });
    onTestFinished(() => spy.mockRestore());
    for (const part of ['(', ')', '(remix)', ' - mix', ' feat. x', ' original mix', '[(', ' ']) {
      inspected = 0;
      withoutVersion(part.repeat(999 / part.length));
      // Each of 999 rounds may read the title ten times.
      expect(inspected, part).toBeLessThan(10 * 999 ** 2);
      inspected = 0;
      withoutVersion(part.repeat(20_000 / part.length));
      expect(inspected, part).toBe(0);
    }
    expect(patterns.size).toBeGreaterThanOrEqual(5);
    expect([...patterns].filter(nestsRepetitions)).toEqual([]);
  });

  it('never becomes empty or longer', () => {
    const part = fc.constantFrom(
      'Xtal',
      '(',
      ')',
      '[',
      ']',
      ' - ',
      ' feat. ',
      'Mix',
      'Remix',
      ' ',
      '2011',
      'a',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const title = parts.join('');
        const base = withoutVersion(title);
        expect(base.length).toBeLessThanOrEqual(title.length);
        expect(base.trim() === '').toBe(title.trim() === '');
      }),
    );
  });
});
