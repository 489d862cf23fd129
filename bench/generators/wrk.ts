import { isHttp1, numberIn, type Figures, type Generator, type Load } from './generator.ts';

const UNITS: Readonly<Record<string, number>> = { us: 1e-3, ms: 1, s: 1000, m: 60_000 };

/** @param name such as `50%`, before a duration with a unit */
function duration(output: string, name: string): number {
  const [, number, unit = ''] = new RegExp(`^\\s*${name}\\s+([\\d.]+)(us|ms|s|m)$`, 'm').exec(
    output,
  ) ?? [undefined, undefined];
  if (number === undefined) throw new Error(`no ${name} in ${output.slice(0, 500)}`);
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}

/** Lines of the output that count failures; without any there are none. */
function failuresIn(output: string): number {
  const [, connect = 0, read = 0, write = 0, timeout = 0] =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output) ?? [];
  const [, status = 0] = /Non-2xx or 3xx responses: (\d+)/.exec(output) ?? [];
  return [connect, read, write, timeout, status].reduce<number>(
    (sum, number) => sum + Number(number),
    0,
  );
}

const flags = ({ connections, seconds }: Load): string =>
  `-t1 -c${connections} -d${seconds}s --latency`;

const rateIn = (output: string): number => numberIn(output, /Requests\/sec:\s+([\d.]+)/);

export const wrk: Generator = {
  name: 'wrk',
  program: 'wrk',
  needs: 'apt-get install wrk',
  does: (load) => isHttp1(load) && load.rate === undefined,
  command: (program, load) => `${program} ${flags(load)} ${load.url}`,
  read: (output): Figures => ({
    requestsPerSecond: rateIn(output),
    p50: duration(output, '50%'),
    p99: duration(output, '99%'),
    failures: failuresIn(output),
  }),
};

/** Latencies count from when a request was due. */
export const wrk2: Generator = {
  name: 'wrk2',
  program: 'wrk2',
  needs: 'wrk of https://github.com/giltene/wrk2 on the PATH as wrk2',
  does: (load) => isHttp1(load) && load.rate !== undefined,
  command: (program, load) => `${program} ${flags(load)} -R${load.rate} ${load.url}`,
  read: (output): Figures => ({
    requestsPerSecond: rateIn(output),
    p50: duration(output, '50.000%'),
    p99: duration(output, '99.000%'),
    failures: failuresIn(output),
  }),
};
