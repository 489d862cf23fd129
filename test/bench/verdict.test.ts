import { describe, expect, test } from 'vitest';
import type { MeasuredSide } from '../../src/bench/measured.ts';
import type { Metric, Metrics, Verdict } from '../../src/bench/report/report.ts';
import { judge, rowVerdict, type Evidence, type MetricsVerdict } from '../../src/bench/verdict.ts';
import { NO_METRICS } from '../../src/bench/metrics.ts';

const metric = (verdict: Verdict): Metric => ({
  target: 1,
  baseline: 1,
  ratio: 1,
  low: 1,
  high: 1,
  verdict,
});

function metricsOf(rate: Verdict, p50: Verdict = 'undecided', p99: Verdict = 'undecided'): Metrics {
  const difference_ms = { value: 0, low: 0, high: 0 };
  return {
    ...NO_METRICS,
    requests_per_second: metric(rate),
    p50_ms: { ...metric(p50), difference_ms },
    p99_ms: { ...metric(p99), difference_ms },
  };
}

/** An undecided metric with this interval. */
const rather = (low: number, high: number | null): Metric => ({
  ...metric('undecided'),
  low,
  high,
});

/** An undecided latency of some 10 ms. */
const later = (low: number, high: number) => ({
  ...rather(low, high),
  difference_ms: { value: 0, low: (low - 1) * 10, high: (high - 1) * 10 },
});

const side: MeasuredSide = {
  requestsPerSecond: 1000,
  load: { busy: 0.5, waited: 0 },
  directBusy: 0.5,
  crowding: 0,
  pressure: 0,
  ratio: undefined,
  origin: undefined,
  doubled: undefined,
  limit: 'target',
  reason: '',
  lagP99: 0.1,
  p99: 3,
  tally: { requests: 1000, errors: {} },
};

const evidence = (given: Partial<Evidence> = {}): Evidence => ({
  protocol: 'http/1.1',
  metrics: metricsOf('slower'),
  target: side,
  baseline: side,
  isOrigin: true,
  isSelf: false,
  ...given,
});

const alike = metricsOf('no-difference', 'no-difference', 'no-difference');
const rate = 'requests_per_second';
const cpu = 'cpu_us_per_request';

test.each<[string, Metrics, MetricsVerdict]>([
  ['the first that is slower', metricsOf('slower', 'slower'), { verdict: 'slower', by: [rate] }],
  [
    'slower, though another is faster',
    metricsOf('faster', 'undecided', 'slower'),
    { verdict: 'slower', by: ['p99_ms'] },
  ],
  [
    'faster, if others are undecided',
    metricsOf('no-difference', 'undecided', 'faster'),
    { verdict: 'faster', by: ['p99_ms'] },
  ],
  [
    'not faster, if another is rather slower',
    { ...metricsOf('faster'), p50_ms: later(1.295, 1.549) },
    { verdict: 'undecided', by: [rate, 'p50_ms'] },
  ],
  [
    'slower, though another is rather faster',
    { ...metricsOf('slower'), p50_ms: later(0.5, 0.6) },
    { verdict: 'slower', by: [rate] },
  ],
  ['alike', alike, { verdict: 'no-difference', by: [rate, 'p50_ms'] }],
  [
    'alike, though its tail is undecided',
    metricsOf('no-difference', 'no-difference', 'undecided'),
    { verdict: 'no-difference', by: [rate, 'p50_ms'] },
  ],
  [
    'not alike, if its tail is rather slower',
    { ...alike, p99_ms: later(1.295, 1.549) },
    { verdict: 'undecided', by: ['p99_ms'] },
  ],
  [
    'nor if it is rather faster',
    { ...alike, p99_ms: later(0.5, 0.6) },
    { verdict: 'undecided', by: ['p99_ms'] },
  ],
  [
    'not alike by the median of latencies alone',
    metricsOf('undecided', 'no-difference'),
    { verdict: 'undecided', by: [rate] },
  ],
  [
    'nor by requests per second alone',
    metricsOf('no-difference', 'undecided'),
    { verdict: 'undecided', by: ['p50_ms'] },
  ],
  [
    'but if latencies are not known',
    { ...NO_METRICS, [rate]: metric('no-difference') },
    { verdict: 'no-difference', by: [rate] },
  ],
  [
    'not alike, if requests per second are not known',
    { ...alike, [rate]: null },
    { verdict: 'undecided', by: [] },
  ],
  [
    'by what requests cost',
    { ...alike, [cpu]: metric('slower') },
    { verdict: 'slower', by: [cpu] },
  ],
  [
    'not alike, if what they cost is undecided',
    { ...alike, [cpu]: metric('undecided') },
    { verdict: 'undecided', by: [cpu] },
  ],
  [
    'without p99.9, for which a round has too few requests',
    { ...alike, p99_9_ms: later(9, 10) },
    { verdict: 'no-difference', by: [rate, 'p50_ms'] },
  ],
  ['nothing compared', NO_METRICS, { verdict: 'undecided', by: [] }],
])('metrics are judged: %s', (_, metrics, judgement) => {
  expect(judge(metrics)).toEqual(judgement);
});

test('the verdict is that on the metrics', () => {
  expect(rowVerdict(evidence())).toEqual({ verdict: 'slower', change: null });
  const metrics = metricsOf('undecided');
  expect(rowVerdict(evidence({ metrics })).verdict).toBe('undecided');
  expect(rowVerdict(evidence({ baseline: undefined, metrics: NO_METRICS })).verdict).toBe(
    'undecided',
  );
});

const busy = { ...side, load: { busy: 0.95, waited: 0 } };
const waiting = { ...side, load: { busy: 0.5, waited: 0.2 } };
const late = { ...side, lagP99: 2 };
const loop = (waited: number) => ({ busy: 0.5, loops: 1, waited });

describe('invalid is', () => {
  test.each<[string, Partial<Evidence>, RegExp]>([
    ['what is not alike', { unlike: 'Of another size.' }, /^Of another size\.$/],
    [
      'a busy load generator',
      { target: busy },
      /busy for 95 % of the time through the target. .*--threads/,
    ],
    ['one without a baseline', { target: busy, baseline: undefined }, /--threads/],
    ['one that waited for a core', { target: waiting }, /waited for a core for 20 %.*taskset/],
    [
      'one that did with the baseline',
      { baseline: waiting, isOrigin: false },
      /with the baseline. .*taskset/,
    ],
    ['one past the target', { baseline: waiting, isOrigin: true }, /past the target. .*taskset/],
    ['one that was late', { target: late }, /more than 2.0 ms late/],
    [
      'a faster target, if the generator held back the baseline',
      { baseline: busy, metrics: metricsOf('faster') },
      /--threads/,
    ],
    [
      'a busy load generator, though requests cost the same',
      {
        target: busy,
        metrics: { ...metricsOf('undecided'), cpu_us_per_request: metric('no-difference') },
      },
      /--threads/,
    ],
    [
      'an origin that was the limit of a faster target',
      { target: { ...side, limit: 'origin' }, metrics: metricsOf('faster') },
      /The origin was the limit.*--workers/,
    ],
    [
      'an origin that was the limit of both',
      {
        target: { ...side, limit: 'origin' },
        metrics: metricsOf('no-difference', 'no-difference'),
        isOrigin: false,
      },
      /--workers/,
    ],
    [
      'no difference beside an origin that is slow',
      {
        target: { ...side, load: { busy: 0.05, waited: 0 } },
        metrics: metricsOf('no-difference', 'no-difference'),
      },
      /busy for 5 % of the time only.*faster origin/,
    ],
    [
      'the same on HTTP/2',
      {
        protocol: 'h2c',
        target: { ...side, load: { busy: 0.02, waited: 0 } },
        metrics: metricsOf('no-difference', 'no-difference'),
      },
      /faster origin/,
    ],
    [
      'an origin that waited for a core',
      { target: { ...side, origin: loop(0.3) }, baseline: { ...side, origin: loop(0.1) } },
      /target, the origin waited for a core for 20 % more of the time.*taskset/,
    ],
    [
      'a machine on which others waited',
      { target: { ...side, pressure: 0.6 } },
      /target, processes of this machine waited for a core for 60 %.*taskset/,
    ],
  ])('%s', (_, given, change) => {
    const found = rowVerdict(evidence(given));
    expect(found.verdict).toBe('invalid');
    expect(found.change).toMatch(change);
  });
});

describe('not invalid is', () => {
  test.each<[string, Partial<Evidence>, Verdict]>([
    ['a busy generator in the process of the origin', { target: busy, isSelf: true }, 'slower'],
    // Without the generator's limit, the baseline would be faster still.
    ['a target slower than a baseline that was held back', { baseline: busy }, 'slower'],
    [
      'a target that costs nothing before an origin that is the limit',
      { target: { ...side, limit: 'origin' }, metrics: alike },
      'no-difference',
    ],
    [
      'a target slower than an origin at its limit',
      { target: { ...side, limit: 'origin' } },
      'slower',
    ],
    [
      'a slow target, of which the load generator is idle',
      { target: { ...side, load: { busy: 0.05, waited: 0 } } },
      'slower',
    ],
    [
      'a shared machine without a difference',
      { target: { ...side, pressure: 0.6 }, metrics: alike },
      'no-difference',
    ],
    [
      'a generator late by a share of what a request takes',
      { target: { ...late, p99: 20 } },
      'slower',
    ],
    [
      'one that is late by less than a millisecond',
      { target: { ...late, lagP99: 0.9, p99: 1 } },
      'slower',
    ],
  ])('%s', (_, given, verdict) => {
    expect(rowVerdict(evidence(given))).toEqual({ verdict, change: null });
  });
});

test.each<[Verdict, Verdict]>([
  ['faster', 'undecided'],
  ['no-difference', 'undecided'],
  ['slower', 'slower'],
])('a target that refuses requests, and else is %s, is %s', (word, verdict) => {
  const failing = { ...side, tally: { requests: 1000, errors: { 'status 503': 300 } } };
  const metrics = metricsOf(word, 'no-difference');
  expect(rowVerdict(evidence({ target: failing, metrics })).verdict).toBe(verdict);
  expect(rowVerdict(evidence({ target: failing, baseline: failing, metrics })).verdict).toBe(word);
});

test('on HTTP/2, a load generator has little to do', () => {
  const target = { ...side, load: { busy: 0.05, waited: 0 } };
  const metrics = metricsOf('no-difference', 'no-difference');
  expect(rowVerdict(evidence({ protocol: 'h2c', target, metrics })).verdict).toBe('no-difference');
});
