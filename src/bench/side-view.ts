import { toMicrosecond } from '../server/timing.ts';
import { Latencies, type Percentiles } from './latencies.ts';
import { lagOf, medianOf, originLoad } from './measured.ts';
import type { Answer } from './ask.ts';
import { hgrmText } from './report/hgrm.ts';
import type { SideView } from './report/report.ts';
import type { SideRounds } from './rounds.ts';

/** A side as reports have it. */
export function sideView(side: SideRounds): SideView {
  const { full, fixed } = side;
  const latencies = new Latencies();
  for (const round of fixed) latencies.add(round.latencies);
  const { percentiles } = latencies;
  const waited = originLoad(side)?.waited;
  const lag = lagOf(side);
  return {
    requests_per_second: rounded(medianOf(full, 'requestsPerSecond'), 1),
    samples: full.map(({ requestsPerSecond }) => rounded(requestsPerSecond, 1)),
    load_busy: rounded(medianOf(full, 'busy'), 3),
    load_waited: rounded(medianOf(full, 'waited'), 3),
    load_lag_ms: lag === undefined ? null : toMicrosecond(lag),
    origin_waited: waited === undefined ? null : rounded(waited, 3),
    rate: side.rate,
    latency_ms: percentiles
      ? { ...percentilesView(percentiles), max: toMicrosecond(percentiles.max) }
      : null,
    latency_samples_ms: side.percentiles.flatMap((each) => (each ? percentilesView(each) : [])),
    cpu_samples_us: full.flatMap(({ cpuPerRequest }) =>
      cpuPerRequest === undefined ? [] : rounded(cpuPerRequest, 3),
    ),
    cost: side.cost?.view(full) ?? null,
    latency_hgrm: percentiles ? hgrmText(latencies) : null,
    requests: side.tally.requests,
    errors: side.tally.errors,
  };
}

/** Percentiles without the maximum, exact to a microsecond. */
export const percentilesView = ({ p50, p90, p99, p99_9 }: Percentiles) => ({
  p50: toMicrosecond(p50),
  p90: toMicrosecond(p90),
  p99: toMicrosecond(p99),
  p99_9: toMicrosecond(p99_9),
});

/** A side of which nothing was measured, because its first response may have been wrong. */
export function failedSideView({ failure }: Answer): SideView {
  return {
    requests_per_second: 0,
    samples: [],
    load_busy: 0,
    load_waited: 0,
    load_lag_ms: null,
    origin_waited: null,
    rate: 0,
    latency_ms: null,
    latency_samples_ms: [],
    cpu_samples_us: [],
    cost: null,
    requests: 1,
    errors: failure === undefined ? {} : { [failure]: 1 },
  };
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
