import { readFileSync } from 'node:fs';
import { keptBetween, readThreadTime } from '../../telemetry/thread-time.ts';

/** Activity of this thread while it sent load, as shares of the time. */
export interface ThreadLoad {
  /** Share in which the event loop was busy, including waits for a core. */
  readonly busy: number;
  /** Share in which other processes kept it from running. */
  readonly waited: number;
  /** Share in which any process of this machine waited for a core; undefined if the system does not count it. */
  readonly pressure: number | undefined;
}

/** Watches this thread from now on. @returns a function that returns its activity up to then */
export function watchThread(): () => ThreadLoad {
  const start = performance.now();
  const [loop, thread, pressure] = [
    performance.eventLoopUtilization(),
    readThreadTime(),
    readPressure(),
  ];
  return () => {
    const seconds = (performance.now() - start) / 1000;
    return {
      busy: performance.eventLoopUtilization(loop).utilization,
      waited: keptBetween(thread, readThreadTime()) / seconds,
      pressure:
        pressure === undefined ? undefined : ((readPressure() ?? pressure) - pressure) / seconds,
    };
  };
}

/** Seconds in which any process of this machine waited for a core (Linux, Documentation/accounting/psi.rst). */
function readPressure(): number | undefined {
  try {
    const [, microseconds] =
      /^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/cpu', 'latin1')) ?? [];
    return microseconds === undefined ? undefined : Number(microseconds) / 1e6;
  } catch {
    return undefined;
  }
}
