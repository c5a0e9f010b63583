import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf, splitWords } from './words.ts';

const all = (text: string): string[] => {
  const { words, further } = splitWords(text);
  return [...words, ...further];
};

describe('the words of a text', () => {
  it.each([
    ['Music Has the Right', ['music', 'has', 'the', 'right']],
    ['The The', ['the', 'the']],
    ['  Próxima   Estación: Esperanza ', ['proxima', 'estacion', 'esperanza']],
    ['Sigur Rós – Ágætis byrjun', ['sigur', 'ros', 'agaetis', 'byrjun']],
    ['Røyksopp', ['royksopp']],
    ['STRAẞE', ['strasse']],
    ['İstanbul', ['istanbul']],
    ['Ｆｕｌｌ　Ｗｉｄｔｈ', ['full', 'width']],
    ['E = MC²', ['e', 'mc2']],
    ["Don't Stop", ['dont', 'stop']],
    ['Lover’s Rock', ['lovers', 'rock']],
    ['Simon & Garfunkel', ['simon', 'and', 'garfunkel']],
    ['Florence + The Machine', ['florence', 'and', 'the', 'machine']],
    ['A.D.H.D', ['adhd']],
    ['(R.E.M.)', ['rem']],
    ['AC/DC', ['ac', 'dc']],
    ['P!nk', ['p', 'nk']],
    ['Low-Life', ['low', 'life']],
    ['東京 Tower', ['東', '京', 'tower']],
    ['ガーデン', ['カ', 'ー', 'テ', 'ン']],
    ['Привет, мир', ['привет', 'мир']],
    ['a\u200db\u0000c', ['ab', 'c']],
  ])('of %j are %j', (text, words) => {
    expect(splitWords(text).words).toEqual(words);
  });

  it.each([
    ['!!!', ['!!!']],
    ['+/-', ['+/-']],
    ['√', ['√']],
    ['>> >>', ['>>', '>>']],
    ["''", ["''"]],
    ['🎵 🎶', ['🎵', '🎶']],
  ])('without letters are the symbols: %j', (text, words) => {
    expect(splitWords(text)).toEqual({ words, further: [] });
  });

  it.each(['', '   ', '\u0000', '\u200d', '\t\n'])('are none for %j', (text) => {
    expect(splitWords(text)).toEqual({ words: [], further: [] });
  });

  it.each([
    ['AC/DC', 'acdc'],
    ['P!nk', 'pink'],
    ['P!nk', 'pnk'],
    ['Ke$ha', 'kesha'],
    ['A$AP Rocky', 'asap'],
    ['$uicideboy$', 'suicideboys'],
    ['A.D.H.D', 'h'],
    ['10,000 Hz', '10000'],
    ['jay-z', 'jayz'],
  ])('of %j include %j, which queries do not require', (text, further) => {
    expect(splitWords(text).further).toContain(further);
    expect(splitWords(text).words).not.toContain(further);
  });

  it('are cut at 64 characters, and not through one', () => {
    expect(splitWords('x'.repeat(100)).words).toEqual(['x'.repeat(64)]);
    expect(splitWords(`${'x'.repeat(63)}𝕏${'x'.repeat(9)}`).words[0]?.isWellFormed()).toBe(true);
    expect(splitWords('💥'.repeat(50)).words[0]).toBe('💥'.repeat(32));
  });

  it('are the same in another case, or split again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const { words } = splitWords(text);
        expect(splitWords(text.normalize('NFD')).words).toEqual(words);
        for (const word of all(text)) {
          expect(word).not.toBe('');
          expect(word.length).toBeLessThanOrEqual(64);
          expect(word).not.toMatch(/\s/u);
          expect(word.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found in any text, well-formed or not', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { maxLength: 60 }), (units) => {
        const text = String.fromCharCode(...units);
        expect(all(text).every((word) => word.isWellFormed() && !word.includes('\0'))).toBe(true);
      }),
    );
    expect(splitWords('a\ud800b').words).toEqual(['a', 'b']);
  });
});

describe('the key of a text', () => {
  const key = (text: string): string => keyOf(splitWords(text).words);

  it.each([
    ['AC/DC', 'ac dc'],
    ['AC/DC', 'ACDC'],
    ['A.D.H.D', 'adhd'],
    ['Simon & Garfunkel', 'simon and garfunkel'],
    ["B'Day", 'bday'],
  ])('is the same for %j and %j', (a, b) => {
    expect(key(a)).toBe(key(b));
  });

  it('distinguishes The The from The', () => {
    expect(key('The The')).not.toBe(key('The'));
  });
});
