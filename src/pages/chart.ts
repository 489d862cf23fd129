import { element, type Element } from './element.ts';

/** A line or a kind of bars. */
export interface Series {
  readonly name: string;
  /** In the order of the chart's `x`; null or undefined without a value. */
  readonly values: readonly (number | null | undefined)[];
}

export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly isLog?: boolean;
  /** Values with a label. */
  readonly ticks: readonly number[];
  readonly text: (tick: number) => string;
}

export interface Chart {
  /** What a screen reader says of it. */
  readonly label: string;
  /** Rising values of the horizontal axis. */
  readonly x: readonly number[];
  readonly series: readonly Series[];
  readonly across: Axis;
  readonly up: Axis;
  /**
   * Bars and steps are as wide as `width`; bars of several series are stacked. Lines have a dot for each value and
   * break where there is none; curves do neither; points have the dots only.
   */
  readonly shape: 'bars' | 'steps' | 'lines' | 'curves' | 'points';
  readonly width?: number;
  /** A value of the horizontal axis to mark. */
  readonly marked?: number | undefined;
}

/** Custom properties of the style sheet, and line styles, because colours alone may not be distinguished. */
const LOOKS = [
  ['--accent', ''],
  ['--warn', '8 4'],
  ['--bad', '2 3'],
  ['--good', '12 3 2 3'],
  ['--soft', '5 5'],
  ['--text', '1 4'],
] as const;
type Look = (typeof LOOKS)[number];

/** Classes of status codes look the same in all charts; `none` is no response. */
const KNOWN = new Map<string, Look>([
  ['1xx', LOOKS[4]],
  ['2xx', LOOKS[3]],
  ['3xx', LOOKS[0]],
  ['4xx', LOOKS[1]],
  ['5xx', LOOKS[2]],
  ['none', LOOKS[5]],
]);
/** Units of the lines in both directions, which are stretched over the chart. */
const SIZE = 1000;
/** The part of a bar's width that is a gap. */
const GAP = 0.1;

/**
 * A chart as an SVG image. It needs no script, and takes its width and colours from the page around it, whose style
 * sheet leaves room for the labels.
 */
export function chartElement(chart: Chart): Element {
  const { label, series, across, up, shape, marked } = chart;
  const shown = shape === 'bars' ? stacked(series) : series;
  const looks = looksOf(series);
  return element(
    'div',
    { class: 'plot', role: 'img', 'aria-label': label },
    element(
      'svg',
      { 'aria-hidden': 'true', width: '100%', height: '100%', overflow: 'visible' },
      ...up.ticks.flatMap((tick) => upTick(percent(1 - shareOf(up, tick)), up.text(tick))),
      ...across.ticks.flatMap((tick) =>
        acrossTick(percent(shareOf(across, tick)), across.text(tick)),
      ),
      element(
        'svg',
        {
          viewBox: `0 0 ${SIZE} ${SIZE}`,
          preserveAspectRatio: 'none',
          width: '100%',
          height: '100%',
          overflow: 'visible',
          fill: 'none',
          'stroke-width': '2',
          'stroke-linejoin': 'round',
        },
        // The first series is in front: of stacked bars, each begins at the bottom.
        ...shown
          .map((one, at) => pathsOf(chart, one, looks[at] ?? LOOKS[0]))
          .toReversed()
          .flat(),
        ...(marked === undefined ? [] : [markElement(acrossOf(across, marked))]),
      ),
    ),
  );
}

/** The names of the lines, each beside a piece of it. @param texts behind the names, such as the newest values */
export function legendElement(
  { series, shape }: Pick<Chart, 'series' | 'shape'>,
  texts: readonly string[] = [],
): Element {
  const looks = looksOf(series);
  const entries = series.map(({ name }, at) => {
    const [colour, dashes] = looks[at] ?? LOOKS[0];
    const line = element('path', {
      d: 'M0 6H24',
      stroke: `var(${colour})`,
      ...(shape === 'bars'
        ? { 'stroke-width': '12' }
        : { 'stroke-width': '3', 'stroke-dasharray': dashes }),
    });
    const image = element('svg', { width: '24', height: '12', 'aria-hidden': 'true' }, line);
    const text = texts[at];
    const value = text === undefined ? [] : [' ', element('b', {}, text)];
    return element('span', {}, image, ` ${name}`, ...value);
  });
  return element('p', { class: 'legend' }, ...entries);
}

/** Others than the well-known series take what these leave; looks repeat only if there are more series than looks. */
function looksOf(series: readonly Series[]): Look[] {
  const known = new Set(series.map(({ name }) => KNOWN.get(name)));
  const free = LOOKS.filter((look) => !known.has(look));
  return series.map(
    ({ name }, at) => KNOWN.get(name) ?? free.shift() ?? LOOKS[at % LOOKS.length] ?? LOOKS[0],
  );
}

/** Each series on top of those before it. */
function stacked(series: readonly Series[]): Series[] {
  const sums: number[] = [];
  return series.map(({ name, values }) => ({
    name,
    values: values.map((value, at) => (sums[at] = (sums[at] ?? 0) + (value ?? 0))),
  }));
}

/** The place of a value on an axis: 0 to 1. */
function shareOf({ from, to, isLog }: Axis, value: number): number {
  if (from === to) return 0.5;
  return isLog ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
}

const percent = (share: number): string => `${rounded(share * 100)}%`;
const rounded = (value: number): number => Math.round(value * 100) / 100;
const acrossOf = (axis: Axis, value: number): number => rounded(shareOf(axis, value) * SIZE);
const upOf = (axis: Axis, value: number): number => rounded((1 - shareOf(axis, value)) * SIZE);

function pathsOf(
  { x, across, up, shape, width = 0 }: Chart,
  { values }: Series,
  [colour, dashes]: Look,
) {
  const points = x.flatMap((at, index) => {
    const value = values[index] ?? null;
    if (value === null || (up.isLog && !hasLogPlace(value))) return [];
    const [left, top] = [acrossOf(across, at), upOf(up, value)];
    return Number.isFinite(left + top) ? [{ at, index, left, top }] : [];
  });
  const right = (at: number, share = 1) => acrossOf(across, at + width * share);
  const stroke = `var(${colour})`;
  const line = { stroke, 'stroke-dasharray': dashes, 'vector-effect': 'non-scaling-stroke' };
  const follows = (at: number): boolean => points[at - 1]?.index === (points[at]?.index ?? 0) - 1;
  switch (shape) {
    case 'bars': {
      const d = points
        .filter(({ top }) => top < SIZE)
        .map(({ at, left, top }) => `M${left} ${SIZE}V${top}H${right(at, 1 - GAP)}V${SIZE}Z`);
      return [element('path', { d: d.join(''), fill: stroke })];
    }
    case 'steps': {
      const d = points.map(
        ({ at, left, top }, place) => `${follows(place) ? 'V' : `M${left} `}${top}H${right(at)}`,
      );
      return [element('path', { d: d.join(''), ...line })];
    }
    case 'points':
    case 'lines': {
      const d = points.map(({ left, top }, place) => `${follows(place) ? 'L' : 'M'}${left} ${top}`);
      // A dot is a line without length.
      const dots = points.map(({ left, top }) => `M${left} ${top}h0`);
      const round = { 'stroke-linecap': 'round', 'stroke-width': '5', 'stroke-dasharray': '' };
      return [
        ...(shape === 'lines' ? [element('path', { d: d.join(''), ...line })] : []),
        element('path', { d: dots.join(''), ...line, ...round }),
      ];
    }
    case 'curves': {
      const d = points.map(({ left, top }) => `${left} ${top}`);
      return [element('path', { d: `M${d.join('L')}`, ...line })];
    }
  }
}

function upTick(y: string, label: string): Element[] {
  return [
    element('line', { x1: '0', x2: '100%', y1: y, y2: y, stroke: 'var(--line)' }),
    element('text', { x: '-8', y, dy: '0.32em', 'text-anchor': 'end' }, label),
  ];
}

function acrossTick(x: string, label: string): Element[] {
  return [
    element('line', { x1: x, x2: x, y1: '0', y2: '100%', stroke: 'var(--line)' }),
    element('text', { x, y: '100%', dy: '1.5em', 'text-anchor': 'middle' }, label),
  ];
}

const markElement = (x: number): Element =>
  element('path', {
    d: `M${x} 0V${SIZE}`,
    stroke: 'var(--bad)',
    'stroke-dasharray': '4 4',
    'vector-effect': 'non-scaling-stroke',
  });

/** An axis with equal steps: 1, 2 or 5 times a power of ten, unless there are others to choose from. */
export function linearAxis(
  from: number,
  to: number,
  steps: readonly number[] = stepsBetween((to - from) / 100, to - from),
): Axis {
  const step = steps.find((each) => (to - from) / each <= MOST_TICKS) ?? to - from;
  const first = Math.ceil(from / step);
  const ticks = Array.from(
    { length: Math.floor(to / step) - first + 1 },
    (_, at) => (first + at) * step,
  );
  return { from, to, ticks, text: numberText };
}

const MOST_TICKS = 6;

/** Values with a place on a logarithmic axis, which may have a tick for each power of ten. */
const LEAST = 1e-6;
const MOST = 1e9;
export const hasLogPlace = (value: number): boolean => value >= LEAST && value <= MOST;

/** A logarithmic axis from 1, 2 or 5 times a power of ten to another, for the values that have a place on it. */
export function logAxis(values: readonly number[]): Axis {
  const shown = values.filter((value) => hasLogPlace(value));
  const [from, to] = logRange(shown.length > 0 ? shown : [1]);
  return { from, to, isLog: true, ticks: logTicks(from, to, MOST_TICKS), text: numberText };
}

/** The range of a logarithmic axis: from 1, 2 or 5 times a power of ten to another. */
export function logRange(values: readonly number[]): readonly [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const all = stepsBetween(least / 10, most * 10);
  const from = all.findLast((step) => step <= least) ?? least;
  const to = all.find((step) => step >= most && step > from) ?? most;
  return [from, to];
}

/** 1, 2 and 5 times the powers of ten in a range, or only the powers if those are more than `most`. */
export function logTicks(from: number, to: number, most: number): number[] {
  const all = stepsBetween(from, to);
  return all.length <= most ? all : all.filter((step) => Math.log10(step) % 1 === 0);
}

/** Powers of ten between which numbers are. */
const LEAST_POWER = -323;
const MOST_POWER = 308;

/** 1, 2 and 5 times the powers of ten in a range. */
function stepsBetween(from: number, to: number): number[] {
  // A report that was made by hand may have any values, 0 and infinity among them.
  const first = Math.max(Math.floor(Math.log10(from)), LEAST_POWER);
  const last = Math.min(Math.ceil(Math.log10(to)), MOST_POWER);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    .flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)))
    .filter((step) => step >= from && step <= to);
}

/** Steps of an axis of whole numbers. */
export const WHOLE_STEPS: readonly number[] = stepsBetween(1, 1e7);

export const numberText = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 4 });
