import type { BenchOptions } from './options.ts';
import type { Row } from './report/report.ts';

/** One line for each requirement of --min-rate and --max-added-p99 that a row misses. Invalid rows are not tested. */
export function failedGates(
  rows: readonly Row[],
  { minRate, maxAddedP99 }: Pick<BenchOptions, 'minRate' | 'maxAddedP99'>,
): string[] {
  return rows.flatMap((row) => {
    if (row.verdict === 'invalid') return [];
    const name = `${row.scenario} ${row.protocol}`;
    const { requests_per_second: rate } = row.target;
    const isSlow = minRate !== undefined && rate < minRate;
    const limit = maxAddedP99 === undefined ? undefined : maxAddedP99 * 1000;
    const added = row.metrics.p99_ms?.difference_ms.value;
    return [
      ...(isSlow
        ? [`${name}: ${Math.floor(rate)} requests/s; --min-rate asks for ${minRate}`]
        : []),
      ...(limit !== undefined && (added === undefined || added > limit)
        ? [`${name}: ${addedText(added)}; --max-added-p99 allows ${limit} ms`]
        : []),
    ];
  });
}

const addedText = (added: number | undefined): string =>
  added === undefined ? 'the added latency was not measured' : `p99 + ${added.toFixed(3)} ms`;
