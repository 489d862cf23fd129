import { readFileSync } from 'node:fs';
import { keptBetween, readThreadTime } from '../../telemetry/thread-time.ts';

/** What this thread did while it sent load, as shares of the time. */
export interface ThreadLoad {
  /** In which its event loop was busy, or waited for a core in the midst of that. */
  readonly busy: number;
  /** In which other processes kept it from running. */
  readonly waited: number;
  /** In which any process of this machine was; undefined where the system does not tell. */
  readonly pressure: number | undefined;
}

/** Watches this thread from now on. @returns gives what it did until then */
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

/** How long a process of this machine has waited for a core, in seconds (Linux, Documentation/accounting/psi.rst). */
function readPressure(): number | undefined {
  try {
    const [, microseconds] =
      /^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/cpu', 'latin1')) ?? [];
    return microseconds === undefined ? undefined : Number(microseconds) / 1e6;
  } catch {
    return undefined;
  }
}
