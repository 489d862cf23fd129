import { costTable } from './cost-table.ts';
import type { Report, Row } from './report.ts';

/** Explains the columns of the tables. Not in the page at `/`, which has no room for it. */
export function legendLines({ rows, names }: Pick<Report, 'rows' | 'names'>): string[] {
  return [...(rows.some(hasMetrics) ? METRICS : []), ...(costTable(rows, names) ? COSTS : [])];
}

const hasMetrics = ({ metrics }: Row): boolean =>
  Object.values(metrics).some((metric) => metric !== null);

const METRICS = [
  'ratio: of requests/s and CPU the median of the rounds, of latencies, as + ms, that of all rounds together; each with its 95 % interval.',
  'slower, faster: by more than 2 %, of latencies 5 % and 0.1 ms; no-difference: by less than 5 %, or 0.1 ms.',
];

const COSTS = [
  'CPU: of the processes, for a request at full load; own MB: with a share of the pages that several have; requests, connections, open: those that the origin has counted in a round, and its connections that were open then.',
];
