import type { Infer } from '../../server/schema.ts';
import { count, decimal } from './cells.ts';
import { plotLines, type PlotSeries } from './plot.ts';
import { textLines } from './text-lines.ts';
import type { FoundSide, foundSchema, PointView, sweepSchema, SweepSide } from './rates-schema.ts';

/** A row with what was found at which rate. */
export interface RatesRow {
  readonly scenario: string;
  readonly protocol: string;
  readonly found?: Infer<typeof foundSchema> | undefined;
  readonly sweep?: Infer<typeof sweepSchema> | undefined;
}

/** Names of the sides in a report, such as those of two builds. */
export interface SideNames {
  readonly target: string;
  readonly baseline: string;
}

/** The members of a report that this is about. */
interface RatesReport {
  readonly rows: readonly RatesRow[];
  readonly names: SideNames | null;
}

/** How the sides of a report are called. */
export const namesOf = ({ names }: Pick<RatesReport, 'names'>): SideNames =>
  names ?? { target: 'target', baseline: 'baseline' };

/** What --find and --sweep have shown, in paragraphs, each of lines. */
export function rateParagraphs(report: RatesReport): string[][] {
  const names = namesOf(report);
  return [
    foundLines(report.rows, names),
    ...report.rows.flatMap((row) => sweepParagraphs(row, names)),
  ].filter((lines) => lines.length > 0);
}

const SIDES = ['target', 'baseline', 'direct'] as const;

/** The sides that were measured, with their names. */
export function namedSides<T>(
  sides: { readonly target: T; readonly baseline: T | null; readonly direct: T | null },
  names: SideNames,
): { readonly name: string; readonly side: T }[] {
  return SIDES.flatMap((key) => {
    const side = sides[key];
    return side ? [{ name: { ...names, direct: 'direct' }[key], side }] : [];
  });
}

/** The rates that were found: a table with a line for each row and side. Empty if none was searched for. */
export function foundLines(rows: readonly RatesRow[], names: SideNames): string[] {
  const found = rows.flatMap((row) => (row.found ? [{ row, found: row.found }] : []));
  const [first] = found;
  if (!first) return [];
  const cells = found.flatMap(({ row, found: each }) =>
    namedSides(each, names).map(({ name, side }, at) =>
      highestRateCells(at === 0 ? `${row.scenario} ${row.protocol}` : '', name, side),
    ),
  );
  const head = ['', '', 'requests/s', 'interval', ''];
  return [
    `Highest rate with ${first.found.condition}:`,
    '',
    ...textLines([head, ...cells], (column) => column === 2 || column === 3),
  ];
}

function highestRateCells(
  row: string,
  name: string,
  { rate, low, high, limited_by: limit, note }: FoundSide,
): string[] {
  if (limit === 'none') return [row, name, 'none', '', note];
  const isOpen = high === null;
  const text = `${isOpen ? '>= ' : ''}${count(rate)}`;
  return [row, name, text, `${count(low)}-${isOpen ? '' : count(high)}`, note];
}

/** What the sweep of a row has shown: a table, a plot, and the knees. @returns a list of paragraphs, each of lines */
export function sweepParagraphs(row: RatesRow, names: SideNames): string[][] {
  const { sweep } = row;
  if (!sweep) return [];
  const sides = namedSides(sweep, names);
  return [
    [`${row.scenario} ${row.protocol}: latency by rate`],
    sweepTable(sides),
    sweepPlot(sides),
    sides.map(({ name, side }) => kneeText(name, side)),
  ].filter((lines) => lines.length > 0);
}

type NamedSweep = readonly { readonly name: string; readonly side: SweepSide }[];

function sweepTable(sides: NamedSweep): string[] {
  const [target, ...others] = sides;
  const isFailing = sides.some(({ side }) => side.points.some(({ errors }) => errors > 0));
  const head = [
    'at /s',
    'done /s',
    'p50 ms',
    'p90 ms',
    'p99 ms',
    'p99.9 ms',
    ...others.flatMap(({ name }) => [`${name} p50`, 'p99']),
    ...(isFailing ? ['errors'] : []),
  ];
  const rows = (target?.side.points ?? []).map((point, at) => {
    const errors = sides.reduce((sum, { side }) => sum + (side.points[at]?.errors ?? 0), 0);
    const past = others.map(({ side }) => side.points[at]?.latency_ms);
    return pointCells(point, past).concat(isFailing ? [errors === 0 ? '' : String(errors)] : []);
  });
  return textLines([head, ...rows], () => true);
}

function pointCells(
  { rate, completed, latency_ms: latency }: PointView,
  others: readonly (PointView['latency_ms'] | undefined)[],
): string[] {
  return [
    count(rate),
    count(completed),
    ...(['p50', 'p90', 'p99', 'p99_9'] as const).map((name) => decimal(latency?.[name])),
    ...others.flatMap((other) => [decimal(other?.p50), decimal(other?.p99)]),
  ];
}

/** Marks of the target's percentiles, and of the 99th percentile of the other sides. */
const MARKS = { p50: 'o', p99: 'x', p99_9: '^' } as const;
const OTHER_MARKS = ['.', ':'] as const;

function sweepPlot(sides: NamedSweep): string[] {
  const [target, ...others] = sides;
  if (!target) return [];
  const { points, knee } = target.side;
  const series = (
    mark: string,
    { name, side }: NamedSweep[number],
    percentile: keyof typeof MARKS,
  ): PlotSeries => ({
    mark,
    name: `${percentile.replace('_', '.')} ${name}`,
    values: side.points.map(({ latency_ms: latency }) => latency?.[percentile] ?? null),
  });
  return plotLines({
    title: 'Latency in ms, by requests/s',
    x: points.map(({ rate }) => rate),
    series: [
      series(MARKS.p99, target, 'p99'),
      series(MARKS.p50, target, 'p50'),
      series(MARKS.p99_9, target, 'p99_9'),
      ...others.map((side, at) => series(OTHER_MARKS[at] ?? '.', side, 'p99')),
    ],
    marked: knee ? { at: knee.above, name: 'knee' } : undefined,
  });
}

const SIGN_TEXTS: Readonly<Record<NonNullable<SweepSide['knee']>['sign'], string>> = {
  rate: 'less than 98 % of the rate is done',
  errors: 'more than 1 % of the requests fail',
  p99: 'the p99 is more than twice its lowest',
};

function kneeText(name: string, { points, knee }: SweepSide): string {
  if (!knee) return `${name}: no knee up to ${count(points.at(-1)?.rate ?? 0)}/s.`;
  const { below, above, sign } = knee;
  const where =
    below === null ? `at or below ${count(above)}` : `between ${count(below)} and ${count(above)}`;
  return `${name}: the knee is ${where}/s: ${SIGN_TEXTS[sign]}.`;
}
