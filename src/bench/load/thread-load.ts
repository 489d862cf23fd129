import { readFileSync } from 'node:fs';
import { keptBetween, readCpuSeconds, readThreadTime } from '../../telemetry/thread-time.ts';

/** Activity of the threads of a load, as shares of the time; of several threads that of the busiest. */
export interface ThreadLoad {
  /** Share in which the event loop was busy, including waits for a core. */
  readonly busy: number;
  /** Share in which other processes kept it from running. */
  readonly waited: number;
  /** Share in which any process of this machine waited for a core; undefined if the system does not count it. */
  readonly pressure: number | undefined;
}

/** Activity of one thread while it sent load. */
export interface ThreadUse {
  readonly seconds: number;
  /** Share in which the event loop was busy, including waits for a core. */
  readonly busy: number;
  /** Seconds in which other threads kept it from running, those of this process included. */
  readonly kept: number;
  /** Seconds on a core: of this thread, and of the whole process. */
  readonly ran: number;
  readonly processRan: number;
  /** As in `ThreadLoad`. */
  readonly pressure: number | undefined;
}

/** Watches this thread from now on. @returns a function that returns its activity up to then */
export function watchThread(): () => ThreadUse {
  const start = performance.now();
  const [loop, thread, process, pressure] = [
    performance.eventLoopUtilization(),
    readThreadTime(),
    readCpuSeconds(),
    readPressure(),
  ];
  return () => {
    const seconds = (performance.now() - start) / 1000;
    const now = readThreadTime();
    return {
      seconds,
      busy: performance.eventLoopUtilization(loop).utilization,
      kept: keptBetween({ ...thread, others: 0 }, { ...now, others: 0 }),
      ran: now.ran - thread.ran,
      processRan: readCpuSeconds() - process,
      pressure:
        pressure === undefined ? undefined : ((readPressure() ?? pressure) - pressure) / seconds,
    };
  };
}

/**
 * The activity of all threads of a load. As in `keptBetween`, the time of the other threads of the process, such as
 * garbage collection, is subtracted from waits, because they may have had the core.
 */
export function threadLoadOf(uses: readonly ThreadUse[]): ThreadLoad {
  const ran = uses.reduce((sum, use) => sum + use.ran, 0);
  const others = most(uses.map(({ processRan }) => processRan - ran));
  const pressures = uses.flatMap(({ pressure }) => (pressure === undefined ? [] : [pressure]));
  return {
    busy: most(uses.map(({ busy }) => busy)),
    waited: most(uses.map(({ kept, seconds }) => (kept - others) / seconds)),
    pressure: pressures.length === 0 ? undefined : most(pressures),
  };
}

const most = (values: readonly number[]): number => Math.max(0, ...values);

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
