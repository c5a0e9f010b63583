/** One line of the outcome. */
export interface Figure {
  readonly name: string;
  /** What was measured, in `unit`. */
  readonly value: number;
  readonly unit: string;
  /** The ceiling that was measured beside it, in the same unit, and what it was. */
  readonly ceiling?: { readonly name: string; readonly value: number };
  /** The bound that the ratio to the ceiling keeps to, or without a ceiling the value. */
  readonly target?: { readonly least: number } | { readonly most: number };
  readonly note?: string;
}

export interface Outcome extends Figure {
  /** Value as a share of the ceiling; null without one. */
  readonly ratio: number | null;
  /** Null where the figure is for information only. */
  readonly isMet: boolean | null;
}

export function judge(figure: Figure): Outcome {
  const ratio = figure.ceiling === undefined ? null : figure.value / figure.ceiling.value;
  const judged = ratio ?? figure.value;
  const { target } = figure;
  if (target === undefined) return { ...figure, ratio, isMet: null };
  return { ...figure, ratio, isMet: 'least' in target ? judged >= target.least : judged <= target.most };
}

const HEAD = ['', 'measured', 'ceiling', 'ratio', 'target', '', ''] as const;

/** The outcomes as a plain table. */
export function formatTable(outcomes: readonly Outcome[]): string {
  const lines = [HEAD, ...outcomes.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const text = lines.map((cells) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : pad(cell, column, widths)))
      .join('  '),
  );
  return `${text.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Numbers stand flush right, words flush left. */
const pad = (cell: string, column: number, widths: readonly number[]): string =>
  column < 5 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);

function cellsOf({ name, value, unit, ceiling, ratio, target, isMet, note }: Outcome): string[] {
  const remarks = [ceiling === undefined ? '' : `of ${ceiling.name}`, note ?? ''].filter(
    (remark) => remark !== '',
  );
  return [
    name,
    `${shortNumber(value)} ${unit}`.trim(),
    ceiling === undefined ? '' : shortNumber(ceiling.value),
    ratio === null ? '' : ratio.toFixed(2),
    target === undefined ? '' : 'least' in target ? `>= ${target.least}` : `<= ${target.most}`,
    isMet === null ? '' : isMet ? 'pass' : 'MISS',
    remarks.join('; '),
  ];
}

/** Three digits that count, or all of a large number. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
