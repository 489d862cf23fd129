import {
  chartElement,
  legendElement,
  linearAxis,
  logAxis,
  logTicks,
  WHOLE_STEPS,
  type Chart,
  type Series,
} from '../../pages/chart.ts';
import { element, scrolling, tableElement, type Element } from '../../pages/element.ts';
import type { DuringView } from '../during/schema.ts';
import { hgrmPoints } from './hgrm.ts';
import type { SweepSide } from './rates-schema.ts';
import { namedSides, type RatesRow, type SideNames } from './rates-text.ts';

/** Lines over a horizontal axis. */
interface Lines {
  readonly caption: string;
  /** What the horizontal axis is. */
  readonly over: 'percentile' | 'requests/s' | 'round' | 'seconds';
  readonly x: readonly number[];
  readonly series: readonly Series[];
  /** Whether the vertical axis is logarithmic. */
  readonly isLog?: boolean;
  /** A value of the horizontal axis to mark. */
  readonly marked?: number | undefined;
}

/** The members of a row's side that charts show. */
interface ChartSide {
  readonly samples: readonly number[];
  readonly latency_hgrm?: string | null | undefined;
}

/** A row that charts are drawn of. */
export interface ChartRow extends RatesRow {
  readonly target: ChartSide;
  readonly baseline: ChartSide | null;
  readonly direct: ChartSide | null;
}

/** Latencies while a command ran, over time. */
export function duringElement({ buckets, bucket_ms: width }: DuringView): Element {
  const of = (name: 'p50_ms' | 'p99_ms' | 'max_ms'): Series => ({
    name: name.replace('_ms', ''),
    values: buckets.map((bucket) => bucket[name]),
  });
  return figure({
    caption: `Latency by seconds from the begin of the command, in ms, each of ${width} ms`,
    over: 'seconds',
    x: buckets.map(({ at_ms: at }) => at / 1000),
    series: [of('p50_ms'), of('p99_ms'), of('max_ms')],
    isLog: true,
    marked: 0,
  });
}

type Named<T> = ReturnType<typeof namedSides<T>>;

/** The charts of a row, each with its table. */
export function chartElements(row: ChartRow, names: SideNames): Element[] {
  const sides = namedSides<ChartSide>(row, names);
  const sweeps = row.sweep ? namedSides<SweepSide>(row.sweep, names) : [];
  return [
    ...(sweeps.length > 0 ? [latencyByRate(sweeps), doneByRate(sweeps)] : []),
    latencyByPercentile(sides),
    requestsByRound(sides),
  ]
    .filter(({ x }) => x.length > 1)
    .map(figure);
}

const PERCENTILES = ['p50', 'p99', 'p99_9'] as const;

function latencyByRate(sides: Named<SweepSide>): Lines {
  return {
    caption: 'Latency by rate, ms by requests/s',
    ...overRate(sides),
    series: sides.flatMap(({ name, side }) =>
      PERCENTILES.map((percentile) => ({
        name: `${percentile.replace('_', '.')} ${name}`,
        values: side.points.map(({ latency_ms: latency }) => latency?.[percentile]),
      })),
    ),
    isLog: true,
    marked: sides[0]?.side.knee?.above,
  };
}

function doneByRate(sides: Named<SweepSide>): Lines {
  return {
    caption: 'Requests/s that were done, by those that were asked for',
    ...overRate(sides),
    series: sides.map(({ name, side }) => ({
      name,
      values: side.points.map(({ completed }) => completed),
    })),
  };
}

const overRate = (sides: Named<SweepSide>) => ({
  over: 'requests/s' as const,
  x: sides[0]?.side.points.map(({ rate }) => rate) ?? [],
});

function latencyByPercentile(sides: Named<ChartSide>): Lines {
  const lines = sides.map(({ name, side }) => ({
    name,
    values: new Map(
      hgrmPoints(side.latency_hgrm ?? '').map(({ percentile, value }) => [
        Number((percentile * 100).toPrecision(10)),
        value,
      ]),
    ),
  }));
  const percentiles = new Set(lines.flatMap(({ values }) => [...values.keys()]));
  const x = [...percentiles].toSorted((a, b) => a - b);
  return {
    caption: 'Latency by percentile, ms',
    over: 'percentile',
    x,
    series: lines.map(({ name, values }) => ({ name, values: x.map((each) => values.get(each)) })),
    isLog: true,
  };
}

function requestsByRound(sides: Named<ChartSide>): Lines {
  const rounds = Math.max(...sides.map(({ side }) => side.samples.length));
  return {
    caption: 'Requests/s at full load, by round',
    over: 'round',
    x: Array.from({ length: rounds }, (_, round) => round + 1),
    series: sides.map(({ name, side }) => ({ name, values: side.samples })),
  };
}

const numberText = (value: number | null | undefined): string =>
  value?.toLocaleString('en', { maximumFractionDigits: 3 }) ?? '';

/** Rounds do not lead to each other. */
const SHAPES = {
  percentile: 'curves',
  'requests/s': 'lines',
  round: 'points',
  seconds: 'lines',
} as const satisfies Readonly<Record<Lines['over'], Chart['shape']>>;

/** A chart with its table. */
function figure(lines: Lines): Element {
  const { caption, over, x, series, marked } = lines;
  const table = {
    caption,
    head: [over, ...series.map(({ name }) => name)],
    rows: x.map((each, at) =>
      [over === 'percentile' ? `${each} %` : String(each)].concat(
        series.map(({ values }) => numberText(values[at])),
      ),
    ),
  };
  const chart = {
    label: `Chart: ${caption}. The table has its values.`,
    series,
    ...axesOf(lines),
    shape: SHAPES[over],
    marked,
  };
  return element(
    'figure',
    {},
    element('figcaption', {}, caption),
    legendElement(chart),
    chartElement(chart),
    element(
      'details',
      {},
      element('summary', { 'aria-label': `Table of ${caption}` }, 'Table'),
      scrolling(caption, tableElement(table)),
    ),
  );
}

function axesOf({ over, x, series, isLog }: Lines): Pick<Chart, 'x' | 'across' | 'up'> {
  const values = series.flatMap((line) => line.values.flatMap((value) => value ?? []));
  const up = isLog ? logAxis(values) : linearAxis(0, Math.max(...values) * 1.1 || 1);
  if (over === 'percentile') return { ...percentileAxis(x), up };
  const [from, to] = [x[0] ?? 0, x.at(-1) ?? 0];
  const across = over === 'seconds' ? linearAxis(from, to) : linearAxis(from, to, WHOLE_STEPS);
  return { x, across, up };
}

/** Percentiles are shown at 1 / (1 - percentile), where the last one would be at infinity. */
function percentileAxis(percentiles: readonly number[]): Pick<Chart, 'x' | 'across'> {
  const x = percentiles.filter((each) => each < 100).map((each) => 100 / (100 - each));
  const to = x.at(-1) ?? 10;
  const ticks = logTicks(1, to, 0);
  return { x, across: { from: 1, to, isLog: true, ticks, text: percentileText } };
}

const percentileText = (tick: number): string => `${Number((100 - 100 / tick).toPrecision(8))} %`;
