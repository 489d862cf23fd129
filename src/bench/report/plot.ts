import { hasLogPlace, logRange, logTicks, numberText } from '../../pages/chart.ts';

/** Points of a plot, drawn with one character. */
export interface PlotSeries {
  readonly mark: string;
  readonly name: string;
  /** In the order of the plot's `x`; null without a value. */
  readonly values: readonly (number | null)[];
}

export interface Plot {
  readonly title: string;
  /** Rising values of the horizontal axis. */
  readonly x: readonly number[];
  readonly series: readonly PlotSeries[];
  /** A value of the horizontal axis to mark below it, and what it is. */
  readonly marked?: { readonly at: number; readonly name: string } | undefined;
}

/** Characters of the whole plot in a line, and lines between the axes. */
const WIDTH = 78;
const HEIGHT = 16;
/** Characters of the vertical axis with its labels. */
const LABEL = 9;
const COLUMNS = WIDTH - LABEL;

/**
 * Draws a plot in characters: linear to the right, logarithmic upwards. If marks meet, that of the first series shows.
 *
 * @returns lines of at most 78 characters; none without values
 */
export function plotLines({ title, x, series, marked }: Plot): string[] {
  const values = series.flatMap((each) => each.values.filter((value) => isShown(value)));
  if (values.length === 0) return [];
  const [bottom, top] = logRange(values);
  const [first, last] = [x[0] ?? 0, x.at(-1) ?? 0];
  const column = (value: number): number =>
    last === first ? 0 : clamped(Math.round(((value - first) / (last - first)) * (COLUMNS - 1)));
  const line = (value: number): number =>
    Math.round((Math.log(top / value) / Math.log(top / bottom)) * (HEIGHT - 1));
  const cells = Array.from({ length: HEIGHT }, () => Array<string>(COLUMNS).fill(' '));
  for (const each of series.toReversed()) {
    for (const [at, value] of each.values.entries()) {
      const cell = cells[isShown(value) ? line(value) : HEIGHT];
      if (cell) cell[column(x[at] ?? 0)] = each.mark;
    }
  }
  const labels = new Map(
    logTicks(bottom, top, (HEIGHT * 2) / 3).map((tick) => [line(tick), numberText(tick)]),
  );
  return [
    title,
    ...cells.map((cell, at) => `${axisLabel(labels.get(at))}${cell.join('')}`.trimEnd()),
    `${' '.repeat(LABEL - 1)}+${'-'.repeat(COLUMNS)}`,
    xLabels(x, column),
    ...(marked ? [markLine(LABEL + column(marked.at), marked.name)] : []),
    series.map(({ mark, name }) => `${mark} ${name}`).join('   '),
  ];
}

/** A report that was made by hand may have points on either side of the plot. */
const clamped = (column: number): number => Math.min(COLUMNS - 1, Math.max(0, column));

const isShown = (value: number | null): value is number => value !== null && hasLogPlace(value);

const axisLabel = (label = ''): string =>
  `${label.padStart(LABEL - 2)} ${label === '' ? '|' : '+'}`;

/** Values below the horizontal axis, as many as have room between them. */
function xLabels(x: readonly number[], column: (value: number) => number): string {
  let text = '';
  const all = x.map((value) => ({ at: LABEL + column(value), label: numberText(value) }));
  // The last label ends where the plot does.
  for (const { at, label } of all) {
    const start = Math.min(at, WIDTH - label.length);
    if (text === '' || start >= text.length + 2) text = text.padEnd(start) + label;
  }
  return text;
}

/** The name is on the left if it has no room on the right. */
const markLine = (at: number, name: string): string =>
  at + name.length + 2 <= WIDTH ? `${' '.repeat(at)}^ ${name}` : `${name} ^`.padStart(at + 1);
