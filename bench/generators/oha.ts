import { isHttp1, type Generator } from './generator.ts';

/** The members of oha's report that are read; times in seconds. */
interface Report {
  readonly summary: { readonly requestsPerSec: number };
  readonly latencyPercentiles: { readonly p50: number; readonly p99: number };
  readonly statusCodeDistribution: Readonly<Record<string, number>>;
  readonly errorDistribution: Readonly<Record<string, number>>;
}

/** What oha counts as errors at the end of its time. */
const OPEN_AT_END = 'aborted due to deadline';

const sum = (counts: readonly (readonly [string, number])[]): number =>
  counts.reduce((all, [, number]) => all + number, 0);

export const oha: Generator = {
  name: 'oha',
  program: 'oha',
  needs: 'cargo install --locked oha',
  does: () => true,
  command: (program, load) =>
    [
      program,
      `-z ${load.seconds}s -c ${load.connections}`,
      isHttp1(load) ? '--http-version 1.1' : `--http2 -p ${load.streams}`,
      load.rate === undefined ? '' : `-q ${load.rate} --latency-correction`,
      `--insecure --no-tui --output-format json ${load.url}`,
    ].join(' '),
  read: (output) => {
    const report = JSON.parse(output) as Report;
    const statuses = Object.entries(report.statusCodeDistribution);
    const errors = Object.entries(report.errorDistribution);
    return {
      requestsPerSecond: report.summary.requestsPerSec,
      p50: report.latencyPercentiles.p50 * 1000,
      p99: report.latencyPercentiles.p99 * 1000,
      failures:
        sum(statuses.filter(([status]) => !status.startsWith('2'))) +
        sum(errors.filter(([reason]) => reason !== OPEN_AT_END)),
    };
  },
};
