import { openEnds } from './limits.ts';
import { metricsOf, percentileMetrics, type MetricSamples } from './metrics.ts';
import type { Samples } from './ratio.ts';
import type { Report, Row, SideView, Verdict } from './report/report.ts';
import { verdictOf } from './report/verdict.ts';
import { isDifferent, judge, rowVerdict, unlikeSizes, type JudgedSide } from './verdict.ts';

type Names = NonNullable<Report['names']>;

/** Share by which the rates of two runs may differ, so that their latencies can be compared. */
const SAME_RATE = 0.05;

/**
 * Compares two recorded runs, row by row. Their rounds were not measured in turn, so that samples are not paired.
 *
 * @param before whose targets are the baseline
 */
export function compareRuns(before: Report, after: Report, names: Names): Report {
  const differences = differencesOf(before, after);
  const rows = after.rows.flatMap((row) => {
    const other = before.rows.find((each) => keyOf(each) === keyOf(row));
    return other ? [comparedRow(other, row, differences, names)] : [];
  });
  return {
    ...after,
    baseline: before.target,
    direct: null,
    names,
    interrupted: before.interrupted || after.interrupted,
    rows,
    failed_gates: [],
    verdict: [
      rows.length === 0 ? 'No row is in both reports.' : verdictOf(rows, names),
      ...unmatched(before, after),
    ].join(' '),
  };
}

const keyOf = ({ scenario, protocol, request }: Row): string =>
  [scenario, protocol, request].join(' ');

/** Names the rows that are in one of the reports only. */
function unmatched(before: Report, after: Report): string[] {
  const [old, now] = [before, after].map(({ rows }) => new Set(rows.map(keyOf)));
  const only = [...before.rows, ...after.rows].filter(
    (row) => old?.has(keyOf(row)) !== now?.has(keyOf(row)),
  );
  const texts = only.map(({ scenario, protocol }) => `${scenario} ${protocol}`);
  return texts.length === 0 ? [] : [`Not in both reports: ${texts.join(', ')}.`];
}

/** What the figures of a run depend on besides its target, by name. */
const factsOf = ({ wirebin, node, target, machine, settings }: Report) => ({
  'version of wirebin': wirebin,
  'version of Node': node,
  scheme: target.replace(/:.*/s, ''),
  processor: machine.processor,
  cores: machine.cores,
  system: machine.system,
  connections: settings.connections,
  'connections on HTTP/2': settings.h2_connections,
  streams: settings.streams,
  threads: settings.threads,
  'seconds of a load': settings.duration_seconds,
  rate: settings.rate,
});

/** What makes the figures of two runs differ whatever their targets are: name, and both values. */
function differencesOf(before: Report, after: Report): string[] {
  const now = new Map(Object.entries(factsOf(after)));
  return Object.entries(factsOf(before)).flatMap(([name, value]) => {
    const other = now.get(name);
    return value === other ? [] : [`${name} (${textOf(value)}, ${textOf(other ?? null)})`];
  });
}

const textOf = (value: string | number | null): string => (value === null ? 'none' : `${value}`);

function comparedRow(before: Row, after: Row, differences: readonly string[], names: Names): Row {
  const [target, baseline] = [judgedSide(after), judgedSide(before)];
  const open = openEnds(target, baseline);
  const metrics = metricsOf(comparableSamples(before.target, after.target), open);
  const isRate = isSameRate(before.target, after.target);
  const isMeasured = before.target.rate > 0 && after.target.rate > 0;
  const change = changeOf(before, after, differences, names);
  const verdict: Pick<Row, 'verdict' | 'change'> =
    change === undefined
      ? rowVerdict({
          protocol: after.protocol,
          metrics,
          target,
          baseline,
          isOrigin: false,
          isSelf: false,
        })
      : { verdict: 'invalid', change };
  return {
    ...after,
    baseline: before.target,
    direct: null,
    metrics,
    ...verdict,
    note: [
      ...(isRate || !isMeasured ? [] : [ratesText(before, after)]),
      ...(before.direct && after.direct ? [] : [UNCHECKED]),
    ].join(' '),
    found: comparedFound(before.found, after.found),
    // Each run has rates of its own.
    sweep: undefined,
  };
}

/** The rates that both runs found, if it was for the same condition. */
const comparedFound = (before: Row['found'], after: Row['found']): Row['found'] =>
  before && before.condition === after?.condition
    ? { ...after, baseline: before.target, direct: null }
    : undefined;

/** The target of a recorded row, as far as it is recorded. */
function judgedSide({ target, limited_by: limit }: Row): JudgedSide {
  const { load_busy: busy, load_waited: waited, load_lag_ms: lag, origin_waited: origin } = target;
  return {
    load: { busy, waited },
    limit,
    lagP99: lag ?? undefined,
    p99: target.latency_ms?.p99,
    pressure: 0,
    tally: target,
    origin: origin === null ? undefined : { waited: origin },
  };
}

const UNCHECKED =
  'Not both runs have --direct, so that it is not known whether machine and origin were the same.';

const ratesText = (before: Row, after: Row): string =>
  `Latencies are not compared, for they are those at ${before.target.rate} and at ${after.target.rate} requests/s: give both runs the same --rate.`;

/** Why two rows cannot be compared; undefined if they can. */
function changeOf(
  before: Row,
  after: Row,
  differences: readonly string[],
  { target, baseline }: Names,
): string | undefined {
  if (differences.length > 0) {
    return `The runs cannot be compared, for they differ in ${differences.join(', ')}.`;
  }
  const unlike = unlikeSizes(after.response_bytes, before.response_bytes);
  if (unlike !== undefined) return unlike;
  for (const [{ verdict, change }, name] of [
    [before, baseline],
    [after, target],
  ] as const) {
    if (verdict === 'invalid') return `In ${name}: ${change ?? ''}`;
  }
  const word = directWord(before, after);
  return word && isDifferent(word)
    ? `Past the targets, ${target} is ${word} than ${baseline}, too: the machine or the origin was another. Measure both in one run, A=URL B=URL.`
    : undefined;
}

/** The verdict on the direct sides. */
const directWord = ({ direct: before }: Row, { direct: after }: Row): Verdict | undefined =>
  before && after ? judge(metricsOf(comparableSamples(before, after))).verdict : undefined;

const isSameRate = (before: SideView, after: SideView): boolean =>
  Math.abs(before.rate / after.rate - 1) <= SAME_RATE;

/** The samples of two sides: without latencies if they are those at different rates. */
function comparableSamples(before: SideView, after: SideView): MetricSamples {
  const of = (values: (side: SideView) => readonly number[]): Samples | undefined => {
    const samples = { target: values(after), baseline: values(before), isPaired: false };
    return samples.target.length > 0 && samples.baseline.length > 0 ? samples : undefined;
  };
  const isRate = isSameRate(before, after);
  const percentile = (name: keyof typeof percentileMetrics): Samples | undefined =>
    of((side) =>
      side.latency_samples_ms.flatMap((each) => (isRate ? each[percentileMetrics[name]] : [])),
    );
  return {
    requests_per_second: of(({ samples }) => samples),
    p50_ms: percentile('p50_ms'),
    p90_ms: percentile('p90_ms'),
    p99_ms: percentile('p99_ms'),
    p99_9_ms: percentile('p99_9_ms'),
    cpu_us_per_request: of(({ cpu_samples_us: samples }) => samples),
  };
}
