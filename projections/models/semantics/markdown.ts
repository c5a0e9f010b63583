import type { Dictionary, DictionaryEntry } from './dictionary.ts';

/** The dictionary as Markdown: terms of all surfaces, then the surfaces of each producer. */
export function dictionaryMarkdown({ entries }: Pick<Dictionary, 'entries'>): string {
  const named = Object.entries(entries);
  const byProducer = Map.groupBy(named, ([, { producer }]) => producer);
  const sections = [...byProducer].map(([producer, ofProducer]) =>
    [
      producer === null ? '## For all surfaces' : `## ${producer}`,
      ...ofProducer.map(([name, entry]) => entryMarkdown(name, entry)),
    ].join('\n\n'),
  );
  return `${['# Semantics dictionary', ...sections].join('\n\n')}\n`;
}

function entryMarkdown(name: string, entry: DictionaryEntry): string {
  const facts = [
    ...(entry.clock_class === null ? [] : [`Clock class: ${entry.clock_class}.`]),
    ...(entry.formula_protected ? ['The producer keeps the formula of its numbers private.'] : []),
    ...(entry.as_of === null ? [] : [`As of ${entry.as_of}.`]),
  ];
  return [
    `### ${name}`,
    entry.audience_blurb,
    ...bullets('Bands', entry.scale_bands),
    ...(entry.honest_limits === null ? [] : [`**Limits:** ${entry.honest_limits}`]),
    ...bullets('Caveats', entry.caveats),
    ...(facts.length === 0 ? [] : [facts.join(' ')]),
  ].join('\n\n');
}

const bullets = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`**${title}:**`, items.map((item) => `- ${item}`).join('\n')];
