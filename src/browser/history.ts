import type { Series } from '../pages/chart.ts';
import type { Minute } from '../telemetry/history-schema.ts';

/** A chart with one value of each series for each minute. */
export interface MinuteChart {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  /** Whether values are counts, which add up. */
  readonly isStacked: boolean;
}

export interface Charts {
  /** Start times of the minutes, in seconds since the epoch, without gaps. */
  readonly times: readonly number[];
  readonly charts: readonly MinuteChart[];
}

/** In seconds. */
export const MINUTE = 60;
/** Maximum number of minutes in a chart. */
const MAX_LENGTH = 60;
/** Number of kinds with a line of their own. All rarer kinds are summed up. */
const MAX_KINDS = 5;

/** Charts of the last hour. @param now in seconds since the epoch */
export function chartsOf(minutes: readonly Minute[], now: number): Charts {
  const all = allMinutes(minutes, now);
  const one = (name: string, of: (minute: Minute) => number): Series => ({
    name,
    values: all.map(({ minute }) => (minute ? of(minute) : 0)),
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
    times: all.map(({ start }) => start),
    charts: [
      countsOf('Requests', 'a minute', [one('requests', ({ requests }) => requests)]),
      countsOf(
        'Statuses',
        'a minute',
        kinds(({ statuses }) => statuses),
      ),
      {
        title: 'Latency',
        unit: 'ms',
        series: [duration('p50'), duration('mean'), duration('p99')],
        isStacked: false,
      },
      countsOf('Connections', 'accepted a minute', [
        one('connections', ({ connections }) => connections),
      ]),
      countsOf(
        'Faults and chaos',
        'a minute',
        kinds(({ faults, chaos }) => ({ ...prefixed('chaos ', chaos), ...faults })),
      ),
      countsOf(
        'Cuts: what wirebin terminated',
        'a minute',
        kinds(({ terminations }) => terminations),
      ),
    ],
  };
}

const countsOf = (title: string, unit: string, series: readonly Series[]): MinuteChart => ({
  title,
  unit,
  series,
  isStacked: true,
});

function prefixed(prefix: string, counts: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [prefix + name, count]));
}

/** All minutes from the first one until now. `/metrics/history` may omit minutes without events. */
function allMinutes(minutes: readonly Minute[], now: number) {
  const starts = minutes.map(({ start }) => Date.parse(start) / 1000);
  const last = starts.at(-1) ?? now;
  // Minutes of wirebin's clock may begin at any second.
  const end = last + Math.max(0, Math.floor((now - last) / MINUTE)) * MINUTE;
  const length = Math.min(MAX_LENGTH, Math.round((end - (starts[0] ?? end)) / MINUTE) + 1);
  return Array.from({ length }, (_, at) => {
    const start = end - (length - 1 - at) * MINUTE;
    const index = starts.findIndex((other) => Math.abs(other - start) < MINUTE / 2);
    return { start, minute: minutes[index] };
  });
}
