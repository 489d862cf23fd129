import { expect, test } from 'vitest';
import {
  chartElement,
  legendElement,
  linearAxis,
  logAxis,
  WHOLE_STEPS,
} from '../../src/pages/chart.ts';
import type { Element } from '../../src/pages/element.ts';

const series = [
  { name: 'a', values: [1, null, 3] },
  { name: 'b', values: [1, 2, 0] },
];
const chart = {
  label: 'of a test',
  x: [0, 1, 2],
  series,
  across: linearAxis(0, 4),
  up: linearAxis(0, 4),
} as const;

/** The attribute `d` of all paths, in the order of the document. */
const pathsOf = ({ attributes, children }: Element): string[] => [
  ...(attributes['d'] === undefined ? [] : [attributes['d']]),
  ...children.flatMap((child) => (typeof child === 'string' ? [] : pathsOf(child))),
];

test('bars are stacked, the first series in front, and none without a value', () => {
  expect(pathsOf(chartElement({ ...chart, shape: 'bars', width: 1 }))).toEqual([
    'M0 1000V500H225V1000ZM250 1000V500H475V1000ZM500 1000V250H725V1000Z',
    'M0 1000V750H225V1000ZM500 1000V250H725V1000Z',
  ]);
});

test('steps are as wide as their time, and break where there is no value', () => {
  expect(pathsOf(chartElement({ ...chart, shape: 'steps', width: 1 }))).toEqual([
    'M0 750H250V500H500V1000H750',
    'M0 750H250M500 250H750',
  ]);
});

test('lines have dots and break where there is no value, curves do neither', () => {
  const [one] = series;
  expect(one && pathsOf(chartElement({ ...chart, series: [one], shape: 'lines' }))).toEqual([
    'M0 750M500 250',
    'M0 750h0M500 250h0',
  ]);
  expect(one && pathsOf(chartElement({ ...chart, series: [one], shape: 'curves' }))).toEqual([
    'M0 750L500 250',
  ]);
});

test('a value is marked, and what has no place on a logarithmic axis is left out', () => {
  const up = logAxis([1, 100]);
  const zero = [{ name: 'a', values: [0, 10, 100] }];
  expect(pathsOf(chartElement({ ...chart, series: zero, up, shape: 'curves', marked: 2 }))).toEqual(
    ['M250 500L500 0', 'M500 0V1000'],
  );
});

/** Colours and dashes of all paths, in the order of the document. */
const looksOf = ({ attributes, children }: Element): string[] => [
  ...('d' in attributes
    ? [`${attributes['stroke'] ?? attributes['fill']} ${attributes['stroke-dasharray']}`]
    : []),
  ...children.flatMap((child) => (typeof child === 'string' ? [] : looksOf(child))),
];

test.each([
  ['2xx', '3xx', '4xx', 'none'],
  ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'],
  ['a', '2xx', 'b', '3xx', 'c'],
])('no two series look the same: %s, %s, %s, %s', (...names) => {
  const many = names.map((name) => ({ name, values: [1] }));
  const legend = looksOf(legendElement({ series: many, shape: 'curves' }));
  expect(new Set(legend).size).toBe(names.length);
  const lines = looksOf(chartElement({ ...chart, series: many, shape: 'curves' }));
  expect(lines).toEqual(legend.toReversed());
});

test.each([
  [linearAxis(0, 24.2), [0, 5, 10, 15, 20]],
  [linearAxis(0, 4.4), [0, 1, 2, 3, 4]],
  [linearAxis(0, 0.011), [0, 0.002, 0.004, 0.006, 0.008, 0.01]],
  [linearAxis(-2, 7.5), [-2, 0, 2, 4, 6]],
  [linearAxis(1, 3, WHOLE_STEPS), [1, 2, 3]],
  [linearAxis(1, 1, WHOLE_STEPS), [1]],
  [linearAxis(90, 700, [60, 120, 300]), [120, 240, 360, 480, 600]],
  [logAxis([3, 30]), [2, 5, 10, 20, 50]],
  [logAxis([0.3, 3000]), [1, 10, 100, 1000]],
  [logAxis([5, 5]), [5, 10]],
  [logAxis([0, 5e-324, 1, 10, 1e308, Infinity]), [1, 2, 5, 10]],
  [linearAxis(0, 5e-324), [0, 5e-324]],
])('ticks of an axis: %j', ({ ticks }, expected) => {
  expect(ticks.map((tick) => Number(tick.toPrecision(6)))).toEqual(expected);
});
