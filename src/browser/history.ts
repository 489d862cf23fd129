import type { Minute } from '../telemetry/history-schema.ts';

/** One value for each minute; null without one. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
}

export interface Charts {
  /** Start times of the minutes, in seconds since the epoch, without gaps. */
  readonly times: readonly number[];
  readonly charts: readonly Chart[];
}

const MINUTE = 60_000;
/** Minimum number of minutes in a chart, so that the first values are not stretched over its width. */
const MIN_LENGTH = 15;
/** Number of kinds with a line of their own. All rarer kinds are summed up. */
const MAX_KINDS = 5;

/** Charts of the last hour. @param now in milliseconds since the epoch */
export function chartsOf(minutes: readonly Minute[], now: number): Charts {
  const all = allMinutes(minutes, now);
  const one = (name: string, of: (minute: Minute) => number | null): Series => ({
    name,
    values: all.map(({ minute, isBefore }) => (minute ? of(minute) : isBefore ? null : 0)),
  });
  const duration = (name: 'mean' | 'p50' | 'p99'): Series => ({
    name: { mean: 'mean', p50: 'median', p99: '99th percentile' }[name],
    values: all.map(({ minute }) => minute?.duration_ms?.[name] ?? null),
  });
  const kinds = (of: (minute: Minute) => Readonly<Record<string, number>>): Series[] => {
    const sums = new Map<string, number>();
    for (const { minute } of all) {
      for (const [name, count] of Object.entries(minute ? of(minute) : {})) {
        sums.set(name, (sums.get(name) ?? 0) + count);
      }
    }
    const names = [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
    const shown = names.slice(0, MAX_KINDS).toSorted();
    const rest = names.slice(MAX_KINDS);
    const sum = (minute: Minute, of_: readonly string[]): number =>
      of_.reduce((total, name) => total + (of(minute)[name] ?? 0), 0);
    return [
      ...shown.map((name) => one(name, (minute) => sum(minute, [name]))),
      ...(rest.length > 0 ? [one('others', (minute) => sum(minute, rest))] : []),
    ];
  };
  return {
    times: all.map(({ start }) => start / 1000),
    charts: [
      {
        title: 'Requests',
        unit: 'a minute',
        series: [one('requests', ({ requests }) => requests)],
      },
      { title: 'Statuses', unit: 'a minute', series: kinds(({ statuses }) => statuses) },
      {
        title: 'Latency',
        unit: 'ms',
        series: [duration('p50'), duration('mean'), duration('p99')],
      },
      {
        title: 'Connections',
        unit: 'accepted a minute',
        series: [one('connections', ({ connections }) => connections)],
      },
      {
        title: 'Faults and chaos',
        unit: 'a minute',
        series: kinds(({ faults, chaos }) => ({ ...prefixed('chaos ', chaos), ...faults })),
      },
      {
        title: 'Cuts: what wirebin terminated',
        unit: 'a minute',
        series: kinds(({ terminations }) => terminations),
      },
    ],
  };
}

/** Indices of values whose neighbours are both missing. */
export function isolated(values: readonly (number | null)[]): number[] {
  return [...values.keys()].filter(
    (at) => values[at] !== null && (values[at - 1] ?? values[at + 1] ?? null) === null,
  );
}

function prefixed(prefix: string, counts: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [prefix + name, count]));
}

/** All minutes until now. `/metrics/history` may omit minutes without events. */
function allMinutes(minutes: readonly Minute[], now: number) {
  const starts = minutes.map(({ start }) => Date.parse(start));
  const last = starts.at(-1) ?? now;
  // Minutes of wirebin's clock may begin at any second.
  const end = last + Math.max(0, Math.floor((now - last) / MINUTE)) * MINUTE;
  const first = Math.min(starts[0] ?? end, end - (MIN_LENGTH - 1) * MINUTE);
  const length = Math.round((end - first) / MINUTE) + 1;
  return Array.from({ length: Math.min(60, length) }, (_, at) => {
    const start = end - (Math.min(60, length) - 1 - at) * MINUTE;
    const index = starts.findIndex((other) => Math.abs(other - start) < MINUTE / 2);
    return { start, minute: minutes[index], isBefore: start < (starts[0] ?? end) - MINUTE / 2 };
  });
}
