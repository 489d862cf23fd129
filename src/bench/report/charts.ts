import { element, scrolling, tableElement, type Element, type Table } from '../../pages/element.ts';
import type { DuringView } from '../during/schema.ts';
import { hgrmPoints } from './hgrm.ts';
import type { SweepSide } from './rates-schema.ts';
import { namedSides, type RatesRow, type SideNames } from './rates-text.ts';

/** A table whose first column is the horizontal axis of a chart, and each other one a line. */
interface Chart extends Table {
  readonly x: 'whole' | 'seconds' | 'percentile';
  readonly y: 'linear' | 'log';
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
  const of = (name: 'p50_ms' | 'p99_ms' | 'max_ms'): Column => ({
    name: name.replace('_ms', ''),
    values: buckets.map((bucket) => bucket[name] ?? undefined),
  });
  const begins = buckets.map(({ at_ms: at }) => String(at / 1000));
  return chartElement({
    caption: `Latency by seconds from the begin of the command, in ms, each of ${width} ms`,
    ...columnTable('seconds', begins, [of('p50_ms'), of('p99_ms'), of('max_ms')]),
    x: 'seconds',
    y: 'log',
    marked: 0,
  });
}

type Named<T> = ReturnType<typeof namedSides<T>>;

/** The charts of a row, each with its table. browser/bench-charts.ts draws them from those. */
export function chartElements(row: ChartRow, names: SideNames): Element[] {
  const sides = namedSides<ChartSide>(row, names);
  const sweeps = row.sweep ? namedSides<SweepSide>(row.sweep, names) : [];
  return [
    ...(sweeps.length > 0 ? [latencyByRate(sweeps), doneByRate(sweeps)] : []),
    latencyByPercentile(sides),
    requestsByRound(sides),
  ]
    .filter(({ rows }) => rows.length > 1)
    .map(chartElement);
}

const PERCENTILES = ['p50', 'p99', 'p99_9'] as const;

function latencyByRate(sides: Named<SweepSide>): Chart {
  const columns = sides.flatMap(({ name, side }) =>
    PERCENTILES.map((percentile) => ({
      name: `${percentile.replace('_', '.')} ${name}`,
      values: side.points.map(({ latency_ms: latency }) => latency?.[percentile]),
    })),
  );
  return {
    caption: 'Latency by rate, ms by requests/s',
    ...byRate(sides, columns),
    x: 'whole',
    y: 'log',
    marked: sides[0]?.side.knee?.above,
  };
}

function doneByRate(sides: Named<SweepSide>): Chart {
  const columns = sides.map(({ name, side }) => ({
    name,
    values: side.points.map(({ completed }) => completed),
  }));
  return {
    caption: 'Requests/s that were done, by those that were asked for',
    ...byRate(sides, columns),
    x: 'whole',
    y: 'linear',
  };
}

interface Column {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

function byRate(sides: Named<SweepSide>, columns: readonly Column[]) {
  const rates = sides[0]?.side.points.map(({ rate }) => String(rate)) ?? [];
  return columnTable('requests/s', rates, columns);
}

function latencyByPercentile(sides: Named<ChartSide>): Chart {
  const columns = sides.map(({ name, side }) => ({
    name,
    values: new Map(
      hgrmPoints(side.latency_hgrm ?? '').map(({ percentile, value }) => [percentile, value]),
    ),
  }));
  const percentiles = new Set(columns.flatMap(({ values }) => [...values.keys()]));
  const rows = [...percentiles].toSorted((a, b) => a - b);
  return {
    caption: 'Latency by percentile, ms',
    ...columnTable(
      'percentile',
      rows.map((percentile) => `${Number((percentile * 100).toPrecision(10))} %`),
      columns.map(({ name, values }) => ({ name, values: rows.map((row) => values.get(row)) })),
    ),
    x: 'percentile',
    y: 'log',
  };
}

function requestsByRound(sides: Named<ChartSide>): Chart {
  const columns = sides.map(({ name, side }) => ({ name, values: side.samples }));
  const rounds = Math.max(...columns.map(({ values }) => values.length));
  const names = Array.from({ length: rounds }, (_, round) => String(round + 1));
  return {
    caption: 'Requests/s at full load, by round',
    ...columnTable('round', names, columns),
    x: 'whole',
    y: 'linear',
  };
}

const columnTable = (first: string, names: readonly string[], columns: readonly Column[]) => ({
  head: [first, ...columns.map(({ name }) => name)],
  rows: names.map((name, at) => [name, ...columns.map(({ values }) => numberText(values[at]))]),
});

const numberText = (value: number | undefined): string =>
  value?.toLocaleString('en', { maximumFractionDigits: 3 }) ?? '';

function chartElement({ x, y, marked, ...table }: Chart): Element {
  return element(
    'figure',
    {
      'data-x': x,
      'data-y': y,
      ...(marked !== undefined && { 'data-marked': String(marked) }),
    },
    element('figcaption', {}, table.caption),
    element('p', { class: 'legend' }),
    element('div', {
      class: 'plot',
      role: 'img',
      'aria-label': `Chart: ${table.caption}. The table has its values.`,
    }),
    // Open for those who have no script to draw the chart, which closes it.
    element(
      'details',
      { open: '' },
      element('summary', { 'aria-label': `Table of ${table.caption}` }, 'Table'),
      scrolling(table.caption, tableElement(table)),
    ),
  );
}
