import { isHttp1, type Generator } from './generator.ts';

/** The members of vegeta's report that are read; times in nanoseconds. */
interface Report {
  readonly throughput: number;
  readonly requests: number;
  readonly latencies: { readonly '50th': number; readonly '99th': number };
  readonly status_codes: Readonly<Record<string, number>>;
}

const NANOSECONDS = 1e6;

/** Latencies count from when a request was sent, however late that was. */
export const vegeta: Generator = {
  name: 'vegeta',
  program: 'vegeta',
  needs: 'go install github.com/tsenart/vegeta/v12@latest',
  does: () => true,
  command: (program, load) => {
    const concurrent = load.connections * load.streams;
    const attack = [
      `${program} attack -insecure -duration=${load.seconds}s -rate=${load.rate ?? 0}`,
      `-workers=${concurrent} -max-workers=${concurrent} -connections=${load.connections}`,
      load.protocol === 'h2c' ? '-h2c' : '',
      isHttp1(load) ? '-http2=false' : '',
    ];
    return `echo 'GET ${load.url}' | ${attack.join(' ')} | ${program} report -type=json`;
  },
  read: (output) => {
    const report = JSON.parse(output) as Report;
    return {
      requestsPerSecond: report.throughput,
      p50: report.latencies['50th'] / NANOSECONDS,
      p99: report.latencies['99th'] / NANOSECONDS,
      failures: report.requests - (report.status_codes['200'] ?? 0),
    };
  },
};
