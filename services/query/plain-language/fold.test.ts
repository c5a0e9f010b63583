import { expect, it } from 'vitest';
import { foldName } from './fold.ts';

it.each([
  ['Hip-Hop', 'hiphop'],
  ['R&B', 'randb'],
  ['Drum n Bass', 'drumandbass'],
  ["Rock'n'Roll", 'rockandroll'],
  ['Black’n’Roll', 'blackandroll'],
  ['Neue Deutsche Härte', 'neuedeutscheharte'],
  ['Folk, World, & Country', 'folkworldandcountry'],
  ['São Paulo', 'saopaulo'],
  ['日本', '日本'],
  ['n', 'and'],
  ['Nina', 'nina'],
  ['!!!', ''],
])('%s folds to %s', (text, fold) => {
  expect(foldName(text)).toBe(fold);
});
