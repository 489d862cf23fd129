import { readFileSync } from 'node:fs';
import { quantile } from '../../src/bench/ratio.ts';
import { isHttp1, numberIn, type Generator } from './generator.ts';

/** Seconds before a load counts. */
const WARM_UP = 1;

/** Latencies count from when a request was sent: of a fixed rate, they leave out what waited. */
export const h2load: Generator = {
  name: 'h2load',
  program: 'h2load',
  needs: 'apt-get install nghttp2-client',
  does: ({ rate }) => rate === undefined,
  command: (program, load, file) =>
    [
      program,
      isHttp1(load) ? '--h1' : `-m${load.streams}`,
      `-c${load.connections} -D${load.seconds} --warm-up-time=${WARM_UP} --log-file=${file}`,
      load.url,
    ].join(' '),
  read: (output, file) => {
    // Each line: start, status, duration; times in microseconds.
    const durations = readFileSync(file, 'latin1')
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split('\t')[2]) / 1000);
    return {
      requestsPerSecond: numberIn(output, /finished in [^,]+, ([\d.]+) req\/s/),
      p50: quantile(durations, 0.5),
      p99: quantile(durations, 0.99),
      failures: numberIn(output, /requests: .* (\d+) failed/),
    };
  },
};
