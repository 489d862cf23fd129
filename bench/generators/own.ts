import { readFileSync } from 'node:fs';
import type { Report } from '../../src/bench/report/report.ts';
import { repository } from '../servers.ts';
import { isHttp1, type Generator } from './generator.ts';

/** `wirebin bench` as a user runs it. */
export const wirebinBench: Generator = {
  name: 'wirebin bench',
  program: 'node',
  needs: 'Node 20.19 or later',
  does: () => true,
  command: (program, load, file) => {
    const { origin } = new URL(load.url);
    const protocol = isHttp1(load) ? 'http/1.1' : load.protocol;
    return [
      `${program} ${repository('dist/main.js')} bench ${origin} --insecure --yes --only healthz`,
      // A full load takes half of the duration.
      `--protocol ${protocol} --rounds 1 --duration ${load.rate === undefined ? load.seconds * 2 : load.seconds}s`,
      `--connections ${load.connections} --streams ${load.streams}`,
      load.rate === undefined ? '' : `--rate ${load.rate}`,
      `--report json=${file} >/dev/null 2>&1; test -s ${file}`,
    ].join(' ');
  },
  read: (_output, file) => {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const [row] = report.rows;
    if (!row) throw new Error(report.verdict);
    const { target } = row;
    return {
      requestsPerSecond: target.requests_per_second,
      p50: target.latency_ms?.p50 ?? Number.NaN,
      p99: target.latency_ms?.p99 ?? Number.NaN,
      failures: Object.values(target.errors).reduce((sum, number) => sum + number, 0),
    };
  },
};
