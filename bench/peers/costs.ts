import { median } from '../../src/bench/ratio.ts';
import type { Sample } from '../measure.ts';
import { figure, table } from '../report.ts';

/** The servers that docs/measured/benchmarking.md compares, as far as they were measured. */
const COLUMNS = ['wirebin', 'wirebin --lean', 'go-httpbin', 'nginx'];

const PATHS = ['/healthz', '/anything', '/bytes/1024', '/bytes/102400', '/range/1048576'];

/** The scenarios that docs/measured/benchmarking.md has. */
export const COST_SCENARIOS: readonly string[] = [
  ...['http/1.1', 'h2'].flatMap((protocol) => PATHS.map((path) => `${protocol} ${path}`)),
  'h2 handshakes',
];

type Samples = readonly Pick<Sample, 'cpuPerRequest'>[];

/** Seconds of CPU for a request; NaN if they are not known. */
export const costOf = (samples: Samples): number =>
  median(samples.map(({ cpuPerRequest = Number.NaN }) => cpuPerRequest));

/**
 * The microseconds of CPU time that each server takes for a request.
 *
 * @param rows what was measured of each scenario, by server
 * @throws if a scenario was not measured
 */
export function costTable(
  rows: ReadonlyMap<string, ReadonlyMap<string, { readonly samples: Samples }>>,
): string {
  const missing = COST_SCENARIOS.filter((scenario) => !rows.has(scenario));
  if (missing.length > 0) throw new Error(`--write needs ${missing.join(', ')} as well`);
  const cellsOf = (scenario: string): string[] =>
    COLUMNS.map((name) => {
      const cost = costOf(rows.get(scenario)?.get(name)?.samples ?? []);
      return Number.isNaN(cost) ? '–' : figure(cost, 1e6);
    });
  const cells = COST_SCENARIOS.map((scenario) => [scenario].concat(cellsOf(scenario)));
  return table(['CPU µs per request', ...COLUMNS], cells);
}
